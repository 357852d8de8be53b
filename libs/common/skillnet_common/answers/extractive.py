"""An answer without an LLM: the sources' sentences that say most of what the question asks, each with its mark."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from skillnet_common.answers.units import Unit, units_of
from skillnet_common.contracts.retrieval import Source
from skillnet_common.text.words import content_roots, fold

_HEADING_WEIGHT = 0.5
"""What a question's word counts when the section's heading or the document's title says it for the sentence."""
_RANK_WEIGHT = 0.4
_FIGURE_BONUS = 0.15
_LONG_WORDS = 60
_ENOUGH = 0.7
"""A further sentence must score this share of the best one,"""
_NEARLY_AS_GOOD = 0.85
"""or this one where it says no word of the question that the chosen ones do not say."""
_ASKS_FOR_FIGURE = re.compile(
    r"\b(cuant[oa]s?|cuando|que (?:dia|fecha|hora|plazo|precio|importe|porcentaje)|plazo|precio|cuesta|vale"
    r"|how (?:many|much|long|old)|when)\b"
)


def extractive_answer(question: str, sources: Sequence[Source], max_sentences: int = 3, language: str = "es") -> str:
    """At most `max_sentences` whole sentences or table rows, each followed by its `[Fuente N]`; "" if none fits.

    A sentence scores by the share of the question's inverse document frequency that its words cover (words that
    its heading says count half), by the rank of its source (by score, else as listed), and for holding a
    figure where the question asks for one. `language` (ISO 639-1) is what sentences are split by.
    """
    wanted = content_roots(question)
    units = [unit for source in sources for unit in units_of(source.number, source.text, language)]
    if not wanted or not units:
        return ""
    weights = _inverse_frequencies(wanted, units)
    context = {source.number: _heading_roots(source) for source in sources}
    best_first = sorted(sources, key=lambda source: -(source.score or 0.0))
    ranks = {source.number: rank for rank, source in enumerate(best_first)}
    asks_for_figure = bool(_ASKS_FOR_FIGURE.search(fold(question)))
    scored = [
        (_score(unit, weights, context[unit.number], ranks[unit.number], asks_for_figure), unit)
        for unit in units
        if unit.roots & weights.keys()
    ]
    scored.sort(key=lambda pair: (-pair[0], ranks[pair[1].number], pair[1].place))
    chosen = _choose(scored, weights.keys(), max_sentences)
    return _written(chosen, ranks)


def _heading_roots(source: Source) -> frozenset[str]:
    return frozenset(content_roots(" ".join([source.document_title, *source.section_path])))


def _inverse_frequencies(wanted: Iterable[str], units: Sequence[Unit]) -> dict[str, float]:
    counts = Counter(root for unit in units for root in unit.roots)
    total = len(units)
    return {root: math.log(1 + (total - counts[root] + 0.5) / (counts[root] + 0.5)) for root in wanted}


def _score(
    unit: Unit, weights: Mapping[str, float], heading: frozenset[str], rank: int, asks_for_figure: bool
) -> float:
    said = sum(weight for root, weight in weights.items() if root in unit.roots)
    implied = sum(weight for root, weight in weights.items() if root in heading and root not in unit.roots)
    score = (said + _HEADING_WEIGHT * implied) / sum(weights.values())
    score += _RANK_WEIGHT / (rank + 1)
    if asks_for_figure and any(character.isdigit() for character in unit.text):
        score += _FIGURE_BONUS
    if unit.text.endswith("?"):
        score -= _RANK_WEIGHT  # a question answers nothing
    return score - 0.1 * max(0, len(unit.text.split()) - _LONG_WORDS) / _LONG_WORDS


def _choose(scored: Sequence[tuple[float, Unit]], wanted: Set[str], max_sentences: int) -> list[Unit]:
    chosen: list[Unit] = []
    said: set[str] = set()
    covered: set[str] = set()
    for score, unit in scored:
        adds = bool((unit.roots & wanted) - covered)
        enough = (_ENOUGH if adds else _NEARLY_AS_GOOD) * scored[0][0]
        text = " ".join(fold(unit.text).split())
        if score < enough or text in said:
            continue
        said.add(text)
        covered |= unit.roots & wanted
        chosen.append(unit)
        if len(chosen) == max_sentences:
            break
    return chosen


def _written(chosen: Sequence[Unit], ranks: Mapping[int, int]) -> str:
    """The best sentence's source first, the order of reading inside a source; table rows on lines of their own."""
    order = {unit.number: position for position, unit in reversed(list(enumerate(chosen)))}
    lines: list[str] = []
    after_row = True
    for unit in sorted(chosen, key=lambda unit: (order[unit.number], ranks[unit.number], unit.place)):
        piece = f"{unit.text} [Fuente {unit.number}]"
        if unit.is_row or after_row:
            lines.append(piece)
        else:
            lines[-1] += f" {piece}"
        after_row = unit.is_row
    return "\n".join(lines)
