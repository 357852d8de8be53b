"""The specification's environment variables, and the identity they give."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.factory import model_identity
from skillnet_inference.precision import Precision
from skillnet_inference.settings import EmbeddingSettings

API: dict[str, Any] = {"provider": "api", "api_base": "https://api.example.com/v1"}


def test_defaults_are_the_specifications() -> None:
    settings = EmbeddingSettings()
    assert (settings.provider, settings.model, settings.dim) == ("local", "intfloat/multilingual-e5-small", 384)
    assert (settings.passage_prefix, settings.query_prefix) == ("passage: ", "query: ")
    assert (settings.batch_size, settings.max_retries, settings.precision) == (64, 3, Precision.INT8)


def test_variables_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PROVIDER": "api",
        "MODEL": "deepseek-embedding",
        "DIM": "1024",
        "API_BASE": "https://api.example.com/v1",
        "API_KEY": "secret",
        "API_MODEL": "served-name",
        "BATCH_SIZE": "32",
        "MAX_RETRIES": "5",
        "PASSAGE_PREFIX": "",
        "QUERY_PREFIX": "q: ",
        "PRECISION": "fp32",
        "THREADS": "3",
        "MODEL_PATH": "/models/own",
        "DEVICE": "cuda, cpu",
        "DEVICE_ID": "1",
        "DEVICE_MEMORY_MB": "4096",
    }.items():
        monkeypatch.setenv(f"EMBEDDING_{name}", value)
    settings = EmbeddingSettings()
    assert (settings.model, settings.dim, settings.api_model_name) == ("deepseek-embedding", 1024, "served-name")
    assert (settings.batch_size, settings.max_retries, settings.threads) == (32, 5, 3)
    assert (settings.passage_prefix, settings.query_prefix) == ("", "q: ")
    assert settings.model_path == Path("/models/own")
    assert (settings.device, settings.device_id, settings.device_memory_mb) == (("cuda", "cpu"), 1, 4096)
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    "wrong",
    [
        {"provider": "api"},
        {"provider": "api", "api_base": "ftp://host"},
        {"provider": "hub"},
        {"dim": 0},
        {"precision": "int4"},
        {"threads": 0},
        {"batch_size": 0},
        {"max_retries": -1},
        {"device": "abacus"},
        {"device": ""},
        {"device_id": -1},
        {"device": "cpu", "device_memory_mb": 4096},
    ],
    ids=str,
)
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        EmbeddingSettings(**wrong)


def test_identity_depends_on_what_changes_vectors_alone() -> None:
    base = model_identity(EmbeddingSettings())
    assert model_identity(EmbeddingSettings(threads=7, batch_size=1)) == base
    assert model_identity(EmbeddingSettings(model="multilingual-e5-small")) == base
    assert model_identity(EmbeddingSettings(device="cuda,cpu", device_id=1, device_memory_mb=4096)) == base
    different = [
        model_identity(EmbeddingSettings(**change)).fingerprint
        for change in ({"precision": "fp32"}, {"table_precision": "fp32"}, {"query_prefix": ""}, API)
    ]
    assert len({base.fingerprint, *different}) == 5


def test_an_api_is_known_by_its_models_name_whatever_its_address() -> None:
    here = model_identity(EmbeddingSettings(**API))
    assert here.slug.startswith("multilingual-e5-small-api-")
    assert here == model_identity(EmbeddingSettings(provider="api", api_base="http://localhost:1/v1"))
    assert here != model_identity(EmbeddingSettings(**API, api_model="another"))


@pytest.mark.parametrize("wrong", [{"dim": 1024}, {"model": "fixture/local"}], ids=str)
def test_an_impossible_model_is_refused_with_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(PermanentFault, match="EMBEDDING_") as raised:
        model_identity(EmbeddingSettings(**wrong))
    assert raised.value.code is ErrorCode.MISCONFIGURED


def test_identity_and_tokenizer_need_no_inference_library() -> None:
    program = (
        "import json, sys\n"
        "from skillnet_inference.factory import model_identity, open_tokenizer\n"
        "from skillnet_inference.settings import EmbeddingSettings\n"
        "model_identity(EmbeddingSettings())\n"
        "heavy = {'onnxruntime', 'onnx', 'tokenizers', 'sentencepiece', 'httpx', 'torch'}\n"
        "print(json.dumps(sorted(heavy & set(sys.modules))))"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert json.loads(found.stdout) == []
