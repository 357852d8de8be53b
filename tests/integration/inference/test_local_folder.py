"""A model of one's own: a folder with graph, tokenizer and description."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import model_identity, open_encoder, open_tokenizer, prepare_model
from skillnet_inference.settings import EmbeddingSettings

WORDS = ["[CLS]", "[SEP]", "[UNK]", "pan", "harina", "agua"]
TABLE = np.array([[9, 0, 0], [0, 9, 0], [1, 1, 1], [1, 2, 3], [3, 1, 0], [0, 1, 4]], np.float32)


def write_tokenizer(file: Path) -> None:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    file.write_text(
        json.dumps(
            {
                "version": "1.0",
                "truncation": None,
                "padding": None,
                "added_tokens": [
                    {"id": token, "content": word, "special": True, **flags} for token, word in enumerate(WORDS[:3])
                ],
                "normalizer": None,
                "pre_tokenizer": {"type": "BertPreTokenizer"},
                "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]},
                "decoder": None,
                "model": {
                    "type": "WordPiece",
                    "unk_token": "[UNK]",
                    "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100,
                    "vocab": {word: token for token, word in enumerate(WORDS)},
                },
            }
        )
    )


def write_graph(file: Path, inputs: tuple[str, ...]) -> None:
    """Token vectors are rows of TABLE, times the mask, plus the token types: wrong feeds give wrong vectors."""
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["vectors"])]
    for name, operator in (("attention_mask", "Mul"), ("token_type_ids", "Add")):
        if name in inputs:
            nodes += [
                helper.make_node("Cast", [name], [f"{name}.float"], to=TensorProto.FLOAT),
                helper.make_node("Unsqueeze", [f"{name}.float", "last"], [f"{name}.column"]),
                helper.make_node(operator, [nodes[-1].output[0], f"{name}.column"], [f"{name}.done"]),
            ]
    nodes.append(helper.make_node("Identity", [nodes[-1].output[0]], ["last_hidden_state"]))
    graph = helper.make_graph(
        nodes,
        "own",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", 3])],
        [
            numpy_helper.from_array(TABLE, "table"),
            numpy_helper.from_array(np.array([-1], np.int64), "last"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, file)


def own_folder(folder: Path, pooling: str, inputs: tuple[str, ...]) -> Path:
    write_tokenizer(folder / "tokenizer.json")
    write_graph(folder / "model.onnx", inputs)
    manifest = {"name": "own", "dimension": 3, "window": 8, "pooling": pooling, "passage_prefix": "agua "}
    (folder / "model.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize(
    "inputs", [("input_ids",), ("input_ids", "attention_mask"), ("input_ids", "attention_mask", "token_type_ids")]
)
@pytest.mark.parametrize(("pooling", "expected"), [("mean", [0, 5, 3, 1]), ("cls", [0])])
def test_token_vectors_are_pooled(tmp_path: Path, inputs: tuple[str, ...], pooling: str, expected: list[int]) -> None:
    settings = EmbeddingSettings(model_path=own_folder(tmp_path, pooling, inputs))
    with closing(open_encoder(settings)) as encoder:
        (found,) = encoder.encode_passages(["pan"])
        mean = TABLE[expected].mean(axis=0)
        assert np.allclose(found, mean / np.linalg.norm(mean))
        assert encoder.identity == model_identity(settings)
        with pytest.raises(PermanentFault, match="window of 8"):
            encoder.encode_passages(["pan " * 6])


def test_an_api_needs_the_tokenizer_alone(model_cache: Path) -> None:
    folder = prepare_model(EmbeddingSettings(provider="api", api_base="http://localhost/v1"))
    assert {path.name for path in folder.iterdir()} == {"model.json", "sentencepiece.model"}


def test_a_graph_with_other_inputs_is_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path, "mean", ("input_ids",))
    model = onnx.load(folder / "model.onnx")
    model.graph.input[0].name = model.graph.node[0].input[1] = "pixel_values"
    onnx.save(model, folder / "model.onnx")
    with pytest.raises(PermanentFault, match="pixel_values"):
        open_encoder(EmbeddingSettings(model_path=folder))


def test_a_graph_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path, "mean", ("input_ids",))
    (folder / "model.onnx").write_bytes(b"not a graph")
    with pytest.raises(PermanentFault, match="onnxruntime cannot load") as raised:
        open_encoder(EmbeddingSettings(model_path=folder))
    assert raised.value.code is ErrorCode.MISCONFIGURED


def test_a_wrong_dimension_is_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path, "mean", ("input_ids",))
    manifest = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**manifest, "dimension": 4}))
    with (
        closing(open_encoder(EmbeddingSettings(model_path=folder))) as encoder,
        pytest.raises(PermanentFault, match="shape"),
    ):
        encoder.encode_passages(["pan"])


def test_a_built_model_moves_to_another_machine_as_a_folder(
    model_cache: Path, texts: list[str], int8_encoder: Encoder
) -> None:
    built = prepare_model(EmbeddingSettings())
    settings = EmbeddingSettings(model_path=built)
    assert model_identity(settings).weights_fingerprint == int8_encoder.identity.weights_fingerprint
    assert open_tokenizer(settings).count("passage: hola") == 6
    with closing(open_encoder(settings)) as encoder:
        same = np.sum(encoder.encode_passages(texts[:5]) * int8_encoder.encode_passages(texts[:5]), axis=1)
    assert same.min() >= 0.9995
