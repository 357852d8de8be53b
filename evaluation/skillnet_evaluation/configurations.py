"""What is compared: named ways to search."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from skillnet_common.contracts.retrieval import Fusion, SearchRequest, Strategy
from skillnet_evaluation.datasets.faults import DatasetError, text_of


@dataclass(frozen=True, slots=True)
class Configuration:
    """A name and the fields of a `SearchRequest` it sets."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)

    def request(self, query: str, *, limit: int, earlier: Sequence[str] = ()) -> SearchRequest:
        """The request for a question, and those `earlier` in its conversation."""
        return SearchRequest.model_validate({**self.fields, "query": query, "limit": limit, "earlier": earlier})


BUILT_IN = (
    Configuration("semantic", {"strategy": Strategy.SEMANTIC, "late_interaction": False}),
    Configuration("keyword", {"strategy": Strategy.KEYWORD}),
    Configuration("hybrid", {"strategy": Strategy.HYBRID}),
    Configuration("hybrid-without-late", {"strategy": Strategy.HYBRID, "late_interaction": False}),
    Configuration("hybrid-rrf", {"strategy": Strategy.HYBRID, "fusion": Fusion.RRF}),
    Configuration("hybrid-standardised", {"strategy": Strategy.HYBRID, "fusion": Fusion.STANDARDISED}),
)
"""`hybrid` searches as the services do where nothing is said; `semantic` is the vectors alone."""

_PER_QUESTION = frozenset({"query", "limit", "earlier"})


def read_configuration(path: Path) -> Configuration:
    """A TOML file of fields of `SearchRequest` (strategy, fusion, alpha, ...), `name` beside them; else the file's.

    Raises DatasetError.
    """
    try:
        fields = tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise DatasetError(path, f"is no TOML ({error})") from error
    name = str(fields.pop("name", path.stem))
    refused = sorted(_PER_QUESTION & fields.keys())
    if refused:
        raise DatasetError(path, f"{refused[0]} is set for each question")
    configuration = Configuration(name, fields)
    try:
        configuration.request("x", limit=1)
    except ValidationError as error:
        fault = error.errors()[0]
        raise DatasetError(path, f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
    return configuration
