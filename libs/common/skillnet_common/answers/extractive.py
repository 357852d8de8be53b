"""An answer without an LLM: the sources' sentences that say most of what the question asks, each with its mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillnet_common.answers.relevance import Scored, score_units
from skillnet_common.answers.units import Unit, units_of
from skillnet_common.contracts.retrieval import Source
from skillnet_common.text.words import fold

_ENOUGH = 0.3
"""A further sentence may score so much less than the best one,"""
_NEARLY_AS_GOOD = 0.15
"""or so much where it says no word of the question that the chosen ones do not say."""


def extractive_answer(
    question: str,
    sources: Sequence[Source],
    max_sentences: int = 3,
    language: str = "es",
    *,
    sources_suffice: bool = False,
) -> str:
    """At most `max_sentences` whole sentences or table rows, each followed by its `[Fuente N]`; "" if none fits.

    The best-scored sentence (`score_units`) comes first. Where it says no word of the question, in another language
    or in other words, it is taken only if the `sources_suffice`: they were judged to answer by their meaning. Then
    the answer is what its source says, from there on. `language` (ISO 639-1) is what sentences are split by.
    """
    units = [unit for source in sources for unit in units_of(source.number, source.text, language)]
    ranks = {source.number: rank for rank, source in enumerate(sorted(sources, key=lambda s: -(s.score or 0.0)))}
    scored = score_units(question, sources, units)
    if not sources_suffice:
        scored = [one for one in scored if one.said]
    scored.sort(key=lambda one: (-one.score, ranks[one.unit.number], one.unit.place))
    if not scored:
        return ""
    best = scored[0]
    chosen = _choose(scored, max_sentences) if best.said else _from(best.unit, units, max_sentences)
    return _written(chosen, ranks)


def _choose(scored: Sequence[Scored], max_sentences: int) -> list[Unit]:
    chosen: list[Unit] = []
    texts: set[str] = set()
    covered: set[str] = set()
    for one in scored:
        adds = bool(one.said - covered)
        enough = scored[0].score - (_ENOUGH if adds else _NEARLY_AS_GOOD)
        text = " ".join(fold(one.unit.text).split())
        if not one.said or one.score < enough or text in texts:
            continue
        texts.add(text)
        covered |= one.said
        chosen.append(one.unit)
        if len(chosen) == max_sentences:
            break
    return chosen


def _from(first: Unit, units: Sequence[Unit], max_sentences: int) -> list[Unit]:
    following = [unit for unit in units if unit.number == first.number and unit.place >= first.place]
    return [unit for unit in following if not unit.is_question][:max_sentences] or [first]


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
