"""A cross-encoder small enough to be made by a test: it counts the words that question and passage share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tokenizers
from onnx import TensorProto, helper, numpy_helper
from tokenizers import models, pre_tokenizers, processors

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "plazo", "devolución", "treinta", "días", "pan", "horno", "caja"]


def write_cross_encoder(folder: Path, *, classes: int = 1, subfolder: str = "") -> Path:
    """A folder with model.onnx and tokenizer.json; with two classes the second is the relevant one.

    The score is the number of equal pairs of a token of the question and one of the passage: the sum over all pairs
    of positions of (ids equal) x (first is of the question) x (second is of the passage) x (no special token).
    """
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    file = folder / subfolder / "model.onnx"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(_graph(classes))
    return folder


def _graph(classes: int) -> bytes:
    constants = [
        numpy_helper.from_array(np.array([3], np.int64), "last_special"),
        numpy_helper.from_array(np.array([1], np.int64), "one_axis"),
        numpy_helper.from_array(np.array([2], np.int64), "two_axis"),
        numpy_helper.from_array(np.array([1, 2], np.int64), "both"),
        numpy_helper.from_array(np.zeros((1, classes - 1), np.float32), "others"),
    ]
    nodes = [
        helper.make_node("Greater", ["input_ids", "last_special"], ["is_word"]),
        helper.make_node("Cast", ["is_word"], ["word"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["word", "second"], ["of_passage"]),
        helper.make_node("Sub", ["word", "of_passage"], ["of_question"]),
        helper.make_node("Unsqueeze", ["input_ids", "two_axis"], ["rows"]),
        helper.make_node("Unsqueeze", ["input_ids", "one_axis"], ["columns"]),
        helper.make_node("Equal", ["rows", "columns"], ["are_equal"]),
        helper.make_node("Cast", ["are_equal"], ["equal"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["of_question", "two_axis"], ["asked"]),
        helper.make_node("Unsqueeze", ["of_passage", "one_axis"], ["said"]),
        helper.make_node("Mul", ["equal", "asked"], ["half"]),
        helper.make_node("Mul", ["half", "said"], ["pairs"]),
        helper.make_node("ReduceSum", ["pairs", "both"], ["sum"], keepdims=0),
        helper.make_node("Unsqueeze", ["sum", "one_axis"], ["score"]),
        helper.make_node("Concat", ["others", "score"], ["logits"], axis=1),
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        nodes,
        "cross-encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, classes])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    encoded: bytes = model.SerializeToString()
    return encoded
