"""The carried model as a Hugging Face folder, so that sentence-transformers runs the very same weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from skillnet_inference.bundle import Bundle
from skillnet_inference.catalog import MULTILINGUAL_E5_SMALL

_SAFETENSORS_DTYPE = "F32"


def write_model_folder(folder: Path) -> None:
    """Writes config, weights (float32 of the carried 4 bits) and tokenizer."""
    bundle = Bundle(MULTILINGUAL_E5_SMALL.source())
    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    _write_json(folder / "config.json", _config(bundle))
    _write_json(folder / "tokenizer.json", _tokenizer(bundle))
    _write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 512,
            "bos_token": "<s>",
            "eos_token": "</s>",
            "unk_token": "<unk>",
            "pad_token": "<pad>",
            "model_input_names": ["input_ids", "attention_mask"],
        },
    )
    _write_json(
        folder / "modules.json",
        [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
    )
    _write_json(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": bundle.architecture.hidden, "pooling_mode_mean_tokens": True},
    )
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": 512, "do_lower_case": False})
    _write_safetensors(folder / "model.safetensors", _weights(bundle))


def _config(bundle: Bundle) -> dict[str, Any]:
    a = bundle.architecture
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": a.hidden,
        "intermediate_size": a.feed_forward,
        "num_attention_heads": a.heads,
        "num_hidden_layers": a.layers,
        "max_position_embeddings": a.positions,
        "type_vocab_size": a.token_types,
        "vocab_size": a.vocabulary,
        "layer_norm_eps": a.layer_norm_epsilon,
        "pad_token_id": 1,
    }


def _tokenizer(bundle: Bundle) -> dict[str, Any]:
    v = bundle.vocabulary
    special = {v.bos: "<s>", v.pad: "<pad>", v.eos: "</s>", v.unk: "<unk>"}
    return {
        "version": "1.0",
        "added_tokens": [
            {
                "id": i,
                "content": content,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i, content in sorted(special.items())
        ],
        # Close to the model's own rule, which differs on rare characters only: it counts for speed, not for parity.
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [v.bos], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [v.eos], "tokens": ["</s>"]},
            },
        },
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": v.unk,
            "byte_fallback": False,
            "vocab": [[piece, float(score)] for piece, score in zip(v.pieces, v.scores, strict=True)],
        },
    }


def _weights(bundle: Bundle) -> dict[str, np.ndarray]:
    a = bundle.architecture
    h, f = a.hidden, a.feed_forward
    weights = {
        "embeddings.word_embeddings.weight": bundle.float32("emb.word", a.vocabulary, h),
        "embeddings.position_embeddings.weight": bundle.float32("emb.pos", a.positions, h),
        "embeddings.token_type_embeddings.weight": bundle.float32("emb.type", a.token_types, h),
        "embeddings.LayerNorm.weight": bundle.float32("emb.ln.w", h),
        "embeddings.LayerNorm.bias": bundle.float32("emb.ln.b", h),
        "pooler.dense.weight": np.zeros((h, h), np.float32),
        "pooler.dense.bias": np.zeros(h, np.float32),
    }
    parts: dict[str, tuple[str, tuple[int, ...]]] = {
        "q": ("attention.self.query", (h, h)),
        "k": ("attention.self.key", (h, h)),
        "v": ("attention.self.value", (h, h)),
        "ao": ("attention.output.dense", (h, h)),
        "aln": ("attention.output.LayerNorm", (h,)),
        "fi": ("intermediate.dense", (f, h)),
        "fo": ("output.dense", (h, f)),
        "oln": ("output.LayerNorm", (h,)),
    }
    for layer in range(a.layers):
        for short, (long, shape) in parts.items():
            target = f"encoder.layer.{layer}.{long}"
            weights[f"{target}.weight"] = bundle.float32(f"l{layer}.{short}.w", *shape)
            weights[f"{target}.bias"] = bundle.float32(f"l{layer}.{short}.b", shape[0])
    return weights


def _write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": _SAFETENSORS_DTYPE,
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as file:
        file.write(len(encoded).to_bytes(8, "little"))
        file.write(encoded)
        for tensor in tensors.values():
            file.write(np.ascontiguousarray(tensor).tobytes())


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
