"""Building blocks of an ONNX graph for onnxruntime on a CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own fused operators."""

_OPSET = 21
_IR_VERSION = 10

_SEVEN_BIT_MAX = 63
"""Weights keep to 7 bits: a processor without VNNI adds pairs of int8 products in 16 bits, which 8-bit weights
overflow. So every machine computes the same sums. See "U8S8 on x86-64" in onnxruntime's guide to quantisation:
https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html
"""

Array = npt.NDArray[Any]
Float32 = npt.NDArray[np.float32]


class GraphBuilder:
    """Collects nodes and constants. Every method that adds a node returns the name of its output."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, values: Array) -> str:
        """A constant held inside the model file. A second one of the same name is the first."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def external_constant(
        self, name: str, dtype: int, shape: tuple[int, ...], file: str, offset: int, size: int
    ) -> str:
        """A constant in a file beside the model, which onnxruntime maps into memory instead of reading it."""
        tensor = TensorProto(name=name, data_type=dtype, dims=shape, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", file), ("offset", str(offset)), ("length", str(size))):
            tensor.external_data.add(key=key, value=value)
        self._constants[name] = tensor
        return name

    def node(self, operator: str, inputs: list[str], *, domain: str = "", output: str = "", **attributes: Any) -> str:
        """A node with one output."""
        name = f"{operator}_{len(self._nodes)}"
        (result,) = self._add(name, operator, inputs, [output or name], domain, attributes)
        return result

    def split(self, value: str, parts: int) -> list[str]:
        """The value in equal parts along its last axis."""
        name = f"Split_{len(self._nodes)}"
        outputs = [f"{name}_{part}" for part in range(parts)]
        return self._add(name, "Split", [value], outputs, "", {"axis": -1, "num_outputs": parts})

    def layer_norm(self, value: str, name: str, gamma: Float32, beta: Float32, epsilon: float) -> str:
        """Layer normalisation over the last axis."""
        inputs = [value, self.constant(f"{name}.gamma", gamma), self.constant(f"{name}.beta", beta)]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=epsilon)

    def linear(self, value: str, name: str, weights: Float32) -> str:
        """`value @ weights.T` in float32; weights are [outputs, inputs]."""
        return self.node("MatMul", [value, self.constant(f"{name}.weights", weights.T)])

    def linear_int8(self, value: str, name: str, weights: Float32) -> str:
        """`value @ weights.T` in int8: weights scaled per output, the value scaled as a whole when it is known."""
        scales = np.abs(weights).max(axis=1) / _SEVEN_BIT_MAX
        scales[scales == 0] = 1
        quantised = np.rint(weights / scales[:, None]).astype(np.int8)
        inputs = [
            value,
            self.constant(f"{name}.quantised", quantised.T),
            self.constant(f"{name}.scales", scales.astype(np.float32)),
        ]
        return self.node("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)

    def save(self, file: Path, inputs: dict[str, list[int | str]], outputs: dict[str, list[int | str]]) -> None:
        """Writes the model. Inputs are int64, outputs float32; a dimension given by name is free."""
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="skillnet")
        file.write_bytes(model.SerializeToString())

    def _add(
        self,
        name: str,
        operator: str,
        inputs: list[str],
        outputs: list[str],
        domain: str,
        attributes: dict[str, Any],
    ) -> list[str]:
        self._nodes.append(helper.make_node(operator, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs
