"""Where answers meet the shared rules of extraction and citation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Source

_TAG = re.compile(r"\[Fuente (\d+)[^\]]*\]")


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text whose citations all stand for a source."""

    text: str
    citations: Sequence[int]
    warnings: Sequence[str]


def extract_answer(question: str, sources: Sequence[Source]) -> str | None:
    """The sentences that answer best, each with its citation."""
    if not sources:
        return None
    return f"{sources[0].text.splitlines()[0]} [Fuente {sources[0].number}]"


def check_citations(text: str, sources: Sequence[Source]) -> CheckedText:
    """Drops citations of sources that do not exist."""
    known = {source.number for source in sources}
    found: list[int] = []

    def keep(match: re.Match[str]) -> str:
        number = int(match[1])
        if number not in known:
            return ""
        found.append(number)
        return f"[Fuente {number}]"

    return CheckedText(_TAG.sub(keep, text).strip(), list(dict.fromkeys(found)), [])
