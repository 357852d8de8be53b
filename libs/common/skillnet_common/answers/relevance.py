"""How much a sentence of a source says of what a question asks, and how far its source is to be preferred."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillnet_common.answers.units import Unit
from skillnet_common.contracts.retrieval import Source
from skillnet_common.text.words import content_roots, fold

_HEADING_WEIGHT = 0.5
"""What a question's word counts when the section's heading or the document's title says it for the sentence."""
_COGNATE_WEIGHT = 0.8
"""What it counts when the sentence has another word that begins alike: of another language (`temperature`,
`temperatura`) or of the same family (`semana`, `semanales`)."""
_COGNATE_LETTERS = 5

_SOURCE_WEIGHT = 1.0
_SOURCE_FALL = 0.1
"""A source whose score lies this share below the best one's has no preference left."""
_FIGURE_BONUS = 0.15
_QUESTION_MALUS = 0.4
_LONG_WORDS = 60
_LENGTH_MALUS = 0.1
_ASKS_FOR_FIGURE = re.compile(
    r"\b(cuant[oa]s?|cuando|que (?:dia|fecha|hora|plazo|precio|importe|porcentaje)|plazo|precio|cuesta|vale"
    r"|how (?:many|much|long|old)|when|quant[oa]s?|quando)\b"
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence with the question's words that it says, or replies to, and its score."""

    unit: Unit
    said: frozenset[str]
    score: float


def score_units(question: str, sources: Sequence[Source], units: Sequence[Unit]) -> list[Scored]:
    """The units in their order, scored by

    - the share of the question's inverse document frequency that their words cover, those of a question that they
      reply to among them, and their heading's in part;
    - the score of their source as a share of the best one: the order in which passages were found rests on meaning
      too, which the words alone do not show;
    - a figure, where the question asks for one.
    """
    wanted = content_roots(question)
    matches = [_matches(wanted, unit.roots | unit.asked) for unit in units]
    weights = _inverse_frequencies(wanted, matches)
    total = sum(weights.values()) or 1.0
    headings = {source.number: _heading_roots(source) for source in sources}
    preference = _preference(sources)
    asks_for_figure = bool(_ASKS_FOR_FIGURE.search(fold(question)))
    scored = []
    for unit, own in zip(units, matches, strict=True):
        implied = dict.fromkeys(headings[unit.number], _HEADING_WEIGHT)
        covered = sum(weight * (own.get(root) or implied.get(root, 0.0)) for root, weight in weights.items())
        score = covered / total + _SOURCE_WEIGHT * preference[unit.number] + _form(unit, asks_for_figure)
        scored.append(Scored(unit, frozenset(own), score))
    return scored


def _matches(wanted: Sequence[str], roots: frozenset[str]) -> dict[str, float]:
    """The wanted roots that are there, and how well."""
    beginnings = {_beginning(root) for root in roots} - {None}
    found = {}
    for root in wanted:
        if root in roots:
            found[root] = 1.0
        elif _beginning(root) in beginnings:
            found[root] = _COGNATE_WEIGHT
    return found


def _beginning(root: str) -> str | None:
    """The letters by which cognates are known; None where it is too short or a figure."""
    start = root[:_COGNATE_LETTERS]
    return start if len(start) == _COGNATE_LETTERS and start.isalpha() else None


def _heading_roots(source: Source) -> frozenset[str]:
    return frozenset(content_roots(" ".join([source.document_title, *source.section_path])))


def _inverse_frequencies(wanted: Sequence[str], matches: Sequence[Mapping[str, float]]) -> dict[str, float]:
    total = len(matches)
    counts = {root: sum(root in found for found in matches) for root in wanted}
    return {root: math.log(1 + (total - count + 0.5) / (count + 0.5)) for root, count in counts.items()}


def _preference(sources: Sequence[Source]) -> dict[int, float]:
    """1 for the best source, falling to 0 with the score; 1 for all where there are no scores to tell them apart."""
    best = max((source.score or 0.0 for source in sources), default=0.0)
    if best <= 0:
        return {source.number: 1.0 for source in sources}
    fall = _SOURCE_FALL * best
    return {source.number: max(0.0, 1 - (best - (source.score or 0.0)) / fall) for source in sources}


def _form(unit: Unit, asks_for_figure: bool) -> float:
    bonus = _FIGURE_BONUS if asks_for_figure and any(character.isdigit() for character in unit.text) else 0.0
    malus = _QUESTION_MALUS if unit.is_question else 0.0
    return bonus - malus - _LENGTH_MALUS * max(0, len(unit.text.split()) - _LONG_WORDS) / _LONG_WORDS
