"""Small chunks are searched; what is read is the section around them, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from skillnet_retriever.domain.context.extracts import extracts_of
from skillnet_retriever.domain.passages import FoundPassage

Place = tuple[UUID, int, int]
"""A chunk by its document, version and index."""

_MOST_PAGES = 2
"""A citation that spans more pages sends its reader looking."""

Fits = Callable[[Sequence[FoundPassage]], bool]


def place_of(passage: FoundPassage) -> Place:
    """Where the passage stands."""
    text = passage.text
    return text.document_id, text.version, text.chunk_index


def with_surroundings(
    chosen: Sequence[FoundPassage], around: Mapping[Place, FoundPassage], *, extract_fits: Fits, all_fit: Fits
) -> list[FoundPassage]:
    """The chosen passages, best first, and then the chunks of their sections that fit beside them.

    From the best passage on each grows by the chunks that follow and precede it in its section, the nearest first,
    as long as its extract is no larger than `extract_fits` allows, nor spans more than two pages, and `all_fit`.
    `around` holds the chunks to grow by. A chosen passage never gives way to what stands around another.
    """
    grown = {place_of(passage): passage for passage in chosen}
    for passage in chosen:
        for step in (1, -1):
            _grow(passage, step, grown, around, extract_fits, all_fit)
    return list(grown.values())


def _grow(
    passage: FoundPassage,
    step: int,
    grown: dict[Place, FoundPassage],
    around: Mapping[Place, FoundPassage],
    extract_fits: Fits,
    all_fit: Fits,
) -> None:
    document, version, index = place_of(passage)
    while True:
        index += step
        place = (document, version, index)
        if place in grown:
            if grown[place].text.section_id != passage.text.section_id:
                return
            continue
        neighbour = around.get(place)
        if neighbour is None or neighbour.text.section_id != passage.text.section_id:
            return
        attempt = [*grown.values(), neighbour]
        extract = _extract_with(neighbour, attempt)
        if _pages(extract) > _MOST_PAGES or not extract_fits(extract) or not all_fit(attempt):
            return
        grown[place] = neighbour


def _extract_with(passage: FoundPassage, passages: Sequence[FoundPassage]) -> Sequence[FoundPassage]:
    return next(extract.passages for extract in extracts_of(passages) if passage in extract.passages)


def _pages(passages: Sequence[FoundPassage]) -> int:
    first, last = passages[0].text, passages[-1].text
    if first.page_start is None:
        return 0
    return (last.page_end or first.page_start) - first.page_start + 1
