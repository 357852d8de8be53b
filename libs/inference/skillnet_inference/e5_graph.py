"""multilingual-e5-small as an ONNX graph: token ids of one text in, its unit vector and its tokens' vectors out.

A BERT encoder (Devlin et al. 2019) with mean pooling (Wang et al. 2024, arXiv:2402.05672). The graph takes a single
text, so it needs no mask and no padding, and a vector cannot depend on what else is encoded.

In int8, two things keep the vectors close to float32 (cosine .9989 instead of .9968, at 4 % of the speed):
a few tokens carry activations twenty times larger than all others (Sun et al. 2024, arXiv:2402.17762), so each row
that enters the second feed-forward product is divided by its maximum and multiplied back afterwards; and the large
channels of layer normalisation are moved into the weights (SmoothQuant, Xiao et al. 2023, arXiv:2211.10438), their
size being read from gamma and beta, so that no calibration text is needed.

A change here that alters a vector raises `GRAPH_RECIPE` in `model_store`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto

from skillnet_inference.bundle import Bundle
from skillnet_inference.graph import MICROSOFT, Float32, GraphBuilder
from skillnet_inference.manifest import TOKEN_OUTPUT
from skillnet_inference.precision import Precision, TablePrecision

INPUT = "input_ids"
OUTPUT = "sentence_embedding"

_TABLE_INT8_MAX = 127
_SMOOTHING = 0.7
"""SmoothQuant's alpha: how much of a channel's size moves into the weights."""
_TYPICAL_MAXIMUM = 3.0
"""A normalised channel seldom passes three standard deviations."""


def write_e5_graph(
    bundle: Bundle, model_file: Path, table_file: Path, precision: Precision, table: TablePrecision
) -> None:
    """Writes the graph, and its token table into a file beside it."""
    _E5Graph(bundle, precision).write(model_file, table_file, table)


class _E5Graph:
    def __init__(self, bundle: Bundle, precision: Precision) -> None:
        self._bundle = bundle
        self._sizes = bundle.architecture
        self._int8 = precision is Precision.INT8
        self._graph = GraphBuilder()

    def write(self, model_file: Path, table_file: Path, table: TablePrecision) -> None:
        value = self._embeddings(table_file, table)
        norm = "emb.ln"
        for layer in range(self._sizes.layers):
            value = self._attention(value, layer, norm)
            value = self._feed_forward(value, layer)
            norm = f"l{layer}.oln"
        axis = self._graph.constant("axis_1", np.array([1], np.int64))
        mean = self._graph.node("ReduceMean", [value, axis], keepdims=0)
        self._graph.node("LpNormalization", [mean], output=OUTPUT, axis=-1, p=2)
        self._graph.node("Identity", [value], output=TOKEN_OUTPUT)
        outputs: dict[str, list[int | str]] = {
            OUTPUT: [1, self._sizes.hidden],
            TOKEN_OUTPUT: [1, "tokens", self._sizes.hidden],
        }
        self._graph.save(model_file, {INPUT: [1, "tokens"]}, outputs)

    def _embeddings(self, table_file: Path, table: TablePrecision) -> str:
        graph, sizes = self._graph, self._sizes
        words = self._table_int8(table_file) if table is TablePrecision.INT8 else self._table_fp32(table_file)
        types = self._bundle.float32("emb.type", sizes.token_types, sizes.hidden)
        positions = self._bundle.float32("emb.pos", sizes.positions, sizes.hidden) + types[0]
        length = graph.node("Shape", [INPUT], start=1, end=2)
        zero = graph.constant("zero", np.array([0], np.int64))
        used = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
        total = graph.node("Add", [words, used])
        gamma, beta = self._norm("emb.ln")
        return graph.layer_norm(total, "emb.ln", gamma, beta, sizes.layer_norm_epsilon)

    def _table_fp32(self, file: Path) -> str:
        rows, columns = self._sizes.vocabulary, self._sizes.hidden
        with file.open("wb") as out:
            for values in self._bundle.float32_rows("emb.word", rows, columns):
                out.write(values.tobytes())
        name = self._graph.external_constant(
            "words", TensorProto.FLOAT, (rows, columns), file.name, 0, rows * columns * 4
        )
        return self._graph.node("Gather", [name, INPUT])

    def _table_int8(self, file: Path) -> str:
        graph, rows, columns = self._graph, self._sizes.vocabulary, self._sizes.hidden
        scales: list[Float32] = []
        with file.open("wb") as out:
            for values in self._bundle.float32_rows("emb.word", rows, columns):
                scale = np.abs(values).max(axis=1, keepdims=True) / _TABLE_INT8_MAX
                scale[scale == 0] = 1
                out.write(np.rint(values / scale).astype(np.int8).tobytes())
                scales.append(scale)
        name = graph.external_constant("words", TensorProto.INT8, (rows, columns), file.name, 0, rows * columns)
        quantised = graph.node("Cast", [graph.node("Gather", [name, INPUT])], to=TensorProto.FLOAT)
        scale_of = graph.node("Gather", [graph.constant("words.scales", np.concatenate(scales)), INPUT])
        return graph.node("Mul", [quantised, scale_of])

    def _attention(self, value: str, layer: int, norm: str) -> str:
        """Self-attention with its residual and normalisation. `norm` names the one that `value` came from."""
        graph, hidden, prefix = self._graph, self._sizes.hidden, f"l{layer}."
        weights = np.concatenate([self._bundle.float32(f"{prefix}{part}.w", hidden, hidden) for part in "qkv"])
        biases = np.concatenate([self._bundle.float32(f"{prefix}{part}.b", hidden) for part in "qkv"])
        product = self._after_norm(value, f"{prefix}qkv", weights, norm)
        biased = graph.node("Add", [product, graph.constant(f"{prefix}qkv.bias", biases)])
        query, key, values = graph.split(biased, 3)
        context = graph.node(
            "MultiHeadAttention", [query, key, values], domain=MICROSOFT, num_heads=self._sizes.heads
        )
        output = self._linear(context, f"{prefix}ao", self._bundle.float32(f"{prefix}ao.w", hidden, hidden))
        return self._add_and_norm(output, value, f"{prefix}aln", f"{prefix}ao.b")

    def _feed_forward(self, value: str, layer: int) -> str:
        graph, hidden, inner, prefix = self._graph, self._sizes.hidden, self._sizes.feed_forward, f"l{layer}."
        weights = self._bundle.float32(f"{prefix}fi.w", inner, hidden)
        product = self._after_norm(value, f"{prefix}fi", weights, f"{prefix}aln")
        bias = graph.constant(f"{prefix}fi.bias", self._bundle.float32(f"{prefix}fi.b", inner))
        activated = graph.node("BiasGelu", [product, bias], domain=MICROSOFT)
        output = self._by_row(activated, f"{prefix}fo", self._bundle.float32(f"{prefix}fo.w", hidden, inner))
        return self._add_and_norm(output, value, f"{prefix}oln", f"{prefix}fo.b")

    def _linear(self, value: str, name: str, weights: Float32) -> str:
        if self._int8:
            return self._graph.linear_int8(value, name, weights)
        return self._graph.linear(value, name, weights)

    def _after_norm(self, value: str, name: str, weights: Float32, norm: str) -> str:
        """A product whose input comes from the layer normalisation `norm`."""
        if not self._int8:
            return self._graph.linear(value, name, weights)
        gamma, beta = self._norm(norm)
        size = _TYPICAL_MAXIMUM * np.abs(gamma) + np.abs(beta)
        factors = size**_SMOOTHING / np.maximum(np.abs(weights).max(axis=0), 1e-6) ** (1 - _SMOOTHING)
        inverse = self._graph.constant(f"{name}.smoothing", (1 / factors).astype(np.float32))
        smoothed = self._graph.node("Mul", [value, inverse])
        return self._graph.linear_int8(smoothed, name, weights * factors)

    def _by_row(self, value: str, name: str, weights: Float32) -> str:
        """A product whose input is GELU's output: never below -0.17, and in a few rows very large."""
        graph = self._graph
        if not self._int8:
            return graph.linear(value, name, weights)
        axis = graph.constant("axis_last", np.array([-1], np.int64))
        floor = graph.constant("floor", np.array(1e-6, np.float32))
        maximum = graph.node("Max", [graph.node("ReduceMax", [value, axis], keepdims=1), floor])
        product = graph.linear_int8(graph.node("Div", [value, maximum]), name, weights)
        return graph.node("Mul", [product, maximum])

    def _add_and_norm(self, output: str, residual: str, norm: str, bias: str) -> str:
        graph = self._graph
        gamma, beta = self._norm(norm)
        inputs = [
            output,
            residual,
            graph.constant(f"{norm}.gamma", gamma),
            graph.constant(f"{norm}.beta", beta),
            graph.constant(bias, self._bundle.float32(bias, self._sizes.hidden)),
        ]
        return graph.node("SkipLayerNormalization", inputs, domain=MICROSOFT, epsilon=self._sizes.layer_norm_epsilon)

    def _norm(self, name: str) -> tuple[Float32, Float32]:
        hidden = self._sizes.hidden
        return self._bundle.float32(f"{name}.w", hidden), self._bundle.float32(f"{name}.b", hidden)
