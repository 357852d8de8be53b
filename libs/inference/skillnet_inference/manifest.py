"""model.json: what a model folder holds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.tokenizer import TOKENIZER_JSON_FILE

MANIFEST_FILE = "model.json"
WEIGHTS_FILE = "model.onnx"
TOKEN_OUTPUT = "token_embeddings"  # noqa: S105 - of a graph
"""The built graphs' output of last hidden states, named as sentence-transformers names them."""

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ModelManifest(BaseModel):
    """The description of a model, in the folder that holds it.

    `pooling` says how token vectors become one: `mean`, `cls` (the first token's), or `none` where the graph does it.
    `token_output` names the graph's output of token vectors, otherwise known where the pooling is not `none`.
    `files` gives the SHA-256 of files, checked before they are loaded. The fingerprints are part of the model's
    identity; where they are missing they are taken from the files' bytes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    dimension: int = Field(ge=1, le=16_000)
    window: int = Field(ge=8)
    pooling: Literal["mean", "cls", "none"]
    query_prefix: str = ""
    passage_prefix: str = ""
    token_output: str | None = None
    precision: str = Field(default="fp32", pattern="^[a-z0-9]+$")
    tokenizer_file: str = TOKENIZER_JSON_FILE
    weights_fingerprint: Sha256 | None = None
    tokenizer_fingerprint: Sha256 | None = None
    files: dict[str, Sha256] = Field(default_factory=dict)


def read_manifest(folder: Path) -> ModelManifest:
    """The folder's description. Raises PermanentFault where it is missing or wrong."""
    file = folder / MANIFEST_FILE
    try:
        return ModelManifest.model_validate_json(file.read_bytes())
    except OSError as error:
        raise _unusable(folder, f"{MANIFEST_FILE} cannot be read") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the file"
        raise _unusable(folder, f"in {MANIFEST_FILE}, {field}: {first['msg']}") from error


def damaged_files(folder: Path, manifest: ModelManifest) -> list[str]:
    """The listed files that are missing or differ from their SHA-256."""
    return [name for name, expected in manifest.files.items() if file_sha256(folder / name) != expected]


def require_intact(folder: Path, manifest: ModelManifest) -> None:
    """Raises PermanentFault where a listed file is missing or differs."""
    if damaged := damaged_files(folder, manifest):
        raise _unusable(folder, f"{', '.join(damaged)} missing or damaged")


def weights_fingerprint(folder: Path, manifest: ModelManifest) -> str:
    """Of the manifest, or else SHA-256 over the graph and every file of external data beside it."""
    if manifest.weights_fingerprint:
        return manifest.weights_fingerprint
    digests = [_required_sha256(folder, path.name) for path in sorted(folder.glob(f"{WEIGHTS_FILE}*"))]
    if not digests:
        raise _unusable(folder, f"{WEIGHTS_FILE} is missing, and {MANIFEST_FILE} has no weights_fingerprint")
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def tokenizer_fingerprint(folder: Path, manifest: ModelManifest) -> str:
    """Of the manifest, or else SHA-256 of the tokenizer's file."""
    return manifest.tokenizer_fingerprint or _required_sha256(folder, manifest.tokenizer_file)


def file_sha256(file: Path) -> str | None:
    """SHA-256 of the file's bytes in hexadecimal, None where there is no such file."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _required_sha256(folder: Path, name: str) -> str:
    digest = file_sha256(folder / name)
    if digest is None:
        raise _unusable(folder, f"{name} is missing")
    return digest


def _unusable(folder: Path, why: str) -> PermanentFault:
    return PermanentFault(ErrorCode.MISCONFIGURED, f"The model folder {folder} cannot be used: {why}.")
