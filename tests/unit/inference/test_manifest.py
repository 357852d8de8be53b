"""model.json: read strictly, its files checked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.factory import model_identity
from skillnet_inference.manifest import read_manifest, require_intact
from skillnet_inference.settings import EmbeddingSettings

OWN = {
    "name": "own/model",
    "dimension": 8,
    "window": 64,
    "pooling": "cls",
    "query_prefix": "search: ",
    "passage_prefix": "",
}


def folder_with(folder: Path, manifest: dict[str, Any], **files: bytes) -> Path:
    (folder / "model.json").write_text(json.dumps(manifest))
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def test_a_folder_describes_itself(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, OWN, model__onnx=b"weights", tokenizer__json=b"{}")
    identity = model_identity(EmbeddingSettings(model_path=folder))
    assert (identity.name, identity.dimension, identity.window) == ("own/model", 8, 64)
    assert (identity.query_prefix, identity.passage_prefix) == ("search: ", "")
    assert identity.weights_fingerprint == hashlib.sha256(b"weights").hexdigest()
    assert identity.slug.startswith("model-fp32-")


def test_what_is_set_expressly_comes_first(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, OWN, model__onnx=b"weights", tokenizer__json=b"{}")
    identity = model_identity(EmbeddingSettings(model_path=folder, passage_prefix="doc: "))
    assert (identity.query_prefix, identity.passage_prefix) == ("search: ", "doc: ")
    with pytest.raises(PermanentFault, match="EMBEDDING_DIM"):
        model_identity(EmbeddingSettings(model_path=folder, dim=384))


def test_other_weights_are_another_model(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, OWN, model__onnx=b"weights", tokenizer__json=b"{}")
    settings = EmbeddingSettings(model_path=folder)
    before = model_identity(settings)
    (folder / "model.onnx.data").write_bytes(b"more")
    with_data = model_identity(settings)
    (folder / "model.onnx.data").write_bytes(b"other")
    assert len({before.fingerprint, with_data.fingerprint, model_identity(settings).fingerprint}) == 3


def test_a_service_without_the_weights_can_still_name_them(tmp_path: Path) -> None:
    digest = "d" * 64
    folder = folder_with(tmp_path, {**OWN, "weights_fingerprint": digest}, tokenizer__json=b"{}")
    assert model_identity(EmbeddingSettings(model_path=folder)).weights_fingerprint == digest


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        ("{", "the file"),
        (json.dumps({**OWN, "pooling": "max"}), "pooling"),
        (json.dumps({**OWN, "dimension": 0}), "dimension"),
        (json.dumps({**OWN, "windows": 512}), "windows"),
        (json.dumps({**OWN, "files": {"model.onnx": "md5"}}), r"files\.model\.onnx"),
        (json.dumps(OWN), "model.onnx is missing"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: str | None, why: str) -> None:
    if content is not None:
        (tmp_path / "model.json").write_text(content)
    with pytest.raises(PermanentFault, match=why) as raised:
        model_identity(EmbeddingSettings(model_path=tmp_path))
    assert raised.value.code is ErrorCode.MISCONFIGURED


def test_listed_files_are_compared(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"weights").hexdigest()
    folder = folder_with(tmp_path, {**OWN, "files": {"model.onnx": digest}}, model__onnx=b"weights")
    require_intact(folder, read_manifest(folder))
    (folder / "model.onnx").write_bytes(b"weighty")
    with pytest.raises(PermanentFault, match=r"model\.onnx missing or damaged"):
        require_intact(folder, read_manifest(folder))
