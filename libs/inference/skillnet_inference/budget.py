"""Counting tokens of language models, offline."""

from __future__ import annotations

from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Protocol, cast

from skillnet_common.errors import ErrorCode, PermanentFault

DEFAULT_ENCODING = "o200k_base"
_EXTENSION = "_bindings"


class _Counter(Protocol):
    def count(self, text: str) -> int: ...


def count_llm_tokens(text: str, encoding: str = DEFAULT_ENCODING) -> int:
    """Tokens of the text in `o200k_base` or `cl100k_base`; what looks like a special token counts as text.

    Raises PermanentFault for an unknown encoding.
    """
    return _counter(encoding).count(text)


@lru_cache(maxsize=4)
def _counter(encoding: str) -> _Counter:
    try:
        return cast("_Counter", _extension().tokenizer_for_encoding(encoding))
    except ValueError as error:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED, f"The token encoding {encoding} is not known here.", encoding=encoding
        ) from error


def _extension() -> ModuleType:
    """The compiled part of `bpe_openai` alone: its Python part builds tables of 70 MB that counting does not need."""
    package = find_spec("bpe_openai")
    spec = PathFinder.find_spec(_EXTENSION, package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        raise PermanentFault(ErrorCode.MISCONFIGURED, "The Python package bpe-openai is not installed.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
