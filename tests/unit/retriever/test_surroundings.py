"""The section around a found chunk is read with it, within bounds."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from skillnet_retriever.domain.context import Context, assemble
from skillnet_retriever.domain.context.surroundings import place_of
from skillnet_retriever.domain.passages import FoundPassage

from .test_context_assembly import passage, words

SECTION = [passage(f"Frase {index}.", 0.0, index=index) for index in range(8)]


def read(found: Sequence[FoundPassage], *, budget: int = 1000, extract_tokens: int = 100) -> Context:
    taken = {one.text.chunk_index for one in found}
    around = {place_of(one): one for one in SECTION if one.text.chunk_index not in taken}
    return assemble(found, budget, words, around, extract_tokens=extract_tokens)


def found(index: int, score: float = 0.9, **fields: object) -> FoundPassage:
    return passage(f"Frase {index}.", score, index=index, **fields)


def test_the_section_around_a_passage_is_one_source_with_it() -> None:
    context = read([found(3)])
    assert [source.text for source in context.sources] == ["\n\n".join(f"Frase {index}." for index in range(8))]
    assert len(context.sources[0].chunk_ids) == 8
    assert context.sources[0].score == 0.9
    assert context.dropped == 0


def test_an_extract_grows_to_its_bound_nearest_first() -> None:
    tag = 6  # [Fuente 1: Documento 1 > Sección, pág. 1] in words, where a no-break space is one
    context = read([found(3)], extract_tokens=tag + 7 + 2)
    assert "Frase 3." in context.text
    assert "Frase 4." in context.text
    assert "Frase 0." not in context.text


def test_without_a_bound_nothing_is_added() -> None:
    assert read([found(3)], extract_tokens=0).sources[0].text == "Frase 3."


def test_other_sections_are_not_read() -> None:
    context = read([found(3, section_id="otra")])
    assert context.sources[0].text == "Frase 3."


def test_an_extract_spans_two_pages_at_most() -> None:
    pages = [passage(f"Frase {n}.", 0.0, index=n, page_start=n, page_end=n) for n in (1, 2, 3, 4)]
    around = {place_of(one): one for one in pages if one.text.chunk_index != 2}
    context = assemble([pages[1]], 1000, words, around, extract_tokens=100)
    assert (context.sources[0].page_start, context.sources[0].page_end) == (2, 3)


@given(st.lists(st.integers(0, 7), min_size=1, max_size=8, unique=True), st.integers(0, 80), st.integers(0, 60))
def test_what_is_found_comes_before_what_stands_around_it(indexes: list[int], budget: int, bound: int) -> None:
    passages = [found(index, 1 - rank / 10) for rank, index in enumerate(indexes)]
    alone = assemble(passages, budget, words)
    grown = read(passages, budget=budget, extract_tokens=bound)
    assert grown.token_count <= budget
    held = {chunk for source in grown.sources for chunk in source.chunk_ids}
    assert {chunk for source in alone.sources for chunk in source.chunk_ids} <= held
    assert grown.dropped == alone.dropped
