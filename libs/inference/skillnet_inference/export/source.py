"""What sentence-transformers knows of a model, and whether the encoder can do the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.catalog import carried_model

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_WANTED_FILES = ["*.json", "*.safetensors", "*.txt", "*.model"]
_UNWANTED_FILES = ["onnx/*", "openvino/*"]
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
_POOLINGS = {"mean", "cls"}

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class SourceModel:
    """A model as its makers describe it. `window` is in tokens, special tokens included."""

    folder: Path
    name: str
    dimension: int
    window: int
    pooling: Pooling
    query_prefix: str
    passage_prefix: str
    tokenizer_json: str


def source_folder(source: str) -> tuple[Path, str]:
    """The folder of a model and its name: a folder as it stands, or `owner/name` fetched from the hub.

    Raises PermanentFault `not_found` where neither is there, PassingFault `unavailable` without a way to the hub.
    """
    folder = Path(source)
    if folder.is_dir():
        return folder, folder.resolve().name
    if not _HUB_NAME.fullmatch(source):
        raise PermanentFault(ErrorCode.NOT_FOUND, f"{source} is neither a folder nor a model's name on the hub.")
    return _fetched(source), source


def load_sentence_transformer(folder: Path) -> Any:
    """The model on the processor. Weights are read from safetensors alone: other forms can run code when read."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - of the extra `export`

    if not (folder / "modules.json").is_file():
        raise _unfit(folder, "modules.json is missing, so it is no model of sentence-transformers")
    try:
        return SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, model_kwargs={"use_safetensors": True}
        )
    except (OSError, ValueError, KeyError) as error:
        raise _unfit(folder, f"sentence-transformers cannot load it ({error})") from error


def read_source(folder: Path, name: str) -> SourceModel:
    """Raises PermanentFault where the model does what the encoder does not."""
    model = load_sentence_transformer(folder)
    kinds = [type(module).__name__ for module in model]
    if kinds[:2] != ["Transformer", "Pooling"] or not _KNOWN_MODULES.issuperset(kinds):
        raise _unfit(folder, f"it consists of {', '.join(kinds)}; known are {', '.join(sorted(_KNOWN_MODULES))}")
    transformer, pooling = model[0], model[1]
    if transformer.do_lower_case:
        raise _unfit(folder, "it lowers the case of texts outside its tokenizer")
    if not pooling.include_prompt or pooling.pooling_mode not in _POOLINGS:
        raise _unfit(folder, f"it pools by {pooling.pooling_mode}; known are mean and cls, over prompt and text")
    if not getattr(model.tokenizer, "is_fast", False):
        raise _unfit(folder, "its tokenizer has no tokenizer.json")
    query, passage = _prefixes(name, model.prompts)
    return SourceModel(
        folder=folder,
        name=name,
        dimension=int(model.get_embedding_dimension()),
        window=_window(folder, model.max_seq_length),
        pooling=cast("Pooling", pooling.pooling_mode),
        query_prefix=query,
        passage_prefix=passage,
        tokenizer_json=model.tokenizer.backend_tokenizer.to_str(),
    )


def _prefixes(name: str, prompts: Mapping[str, str]) -> tuple[str, str]:
    """Of the query and of the passage: the model's own prompts, else those known of its name, else none."""
    query, passage = prompts.get("query", ""), prompts.get("passage") or prompts.get("document", "")
    known = carried_model(name)
    if known is not None and not query and not passage:
        return known.query_prefix, known.passage_prefix
    return query, passage


def _window(folder: Path, tokens: int | None) -> int:
    if tokens is None:
        raise _unfit(folder, "it does not say how many tokens it reads (max_seq_length)")
    return tokens


def _fetched(name: str) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - of the extra `export`
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError  # noqa: PLC0415

    try:
        return Path(snapshot_download(name, allow_patterns=_WANTED_FILES, ignore_patterns=_UNWANTED_FILES))
    except (HFValidationError, RepositoryNotFoundError) as error:
        raise PermanentFault(ErrorCode.NOT_FOUND, f"The hub has no model {name}, or not for everybody.") from error
    except OSError as error:  # of the network, and what the library derives from it
        raise PassingFault(
            ErrorCode.UNAVAILABLE,
            f"{name} is no folder here, and the hub cannot be reached. Fetch the model's folder elsewhere and give "
            "its path.",
        ) from error


def _unfit(folder: Path, why: str) -> PermanentFault:
    return PermanentFault(ErrorCode.MISCONFIGURED, f"The model in {folder} cannot be used: {why}.")
