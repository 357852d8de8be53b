"""What a reply tells of how the question's words were taken."""

from __future__ import annotations

from collections.abc import Sequence

from skillnet_common.contracts.retrieval import Correction
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.length import MOST_WORDS, looked_up
from skillnet_retriever.domain.wording import Wording


def corrections(pool: Pool) -> list[Correction]:
    """The words that were read as others."""
    return [Correction(typed=term.text, read_as=list(term.read_as)) for term in pool.terms if term.read_as]


def wording_warnings(wording: Wording, missing: Sequence[Sequence[str]]) -> list[str]:
    """What the question's operators left out; `missing` are the groups of phrases that no passage holds."""
    left_out = [f"Se dejan fuera los pasajes que contienen «{word}»." for word in wording.excluded]
    end = ": se ha buscado sin exigirlo." if wording.is_sentence else "."
    return left_out + [f"Ningún pasaje contiene «{'» ni «'.join(group)}»{end}" for group in missing]


def length_warnings(question: str) -> list[str]:
    """That the end of a very long question was not looked up word by word."""
    if looked_up(question) == question:
        return []
    return [
        f"La pregunta tiene más de {MOST_WORDS} palabras distintas: por palabras se han buscado solo las primeras."
    ]
