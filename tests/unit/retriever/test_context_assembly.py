"""Choosing and writing down passages within a budget."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.contracts.retrieval import Scores
from skillnet_inference.budget import count_llm_tokens
from skillnet_retriever.domain.context import assemble
from skillnet_retriever.domain.context.assembly import SEPARATOR
from skillnet_retriever.domain.context.tags import neutralised
from skillnet_retriever.domain.passages import ChunkText, FoundPassage


def passage(body: str, score: float, **fields: Any) -> FoundPassage:
    document, index = fields.pop("document", 1), fields.pop("index", 0)
    text = ChunkText(
        **{
            "chunk_id": UUID(int=document * 1000 + index),
            "document_id": UUID(int=document),
            "version": 1,
            "document_title": f"Documento {document}",
            "file_type": "pdf",
            "kind": "text",
            "section_id": "s",
            "section_path": ("Sección",),
            "body": body,
            "overlap_chars": 0,
            "chunk_index": index,
            "page_start": 1,
            "page_end": 1,
            "page_labels": (),
            "char_start": index * 1000,
            "char_end": index * 1000 + 900,
            "boxes": ((1, 0.1, 0.1, 0.9, 0.2),),
            "language": "es",
            "ocr": False,
            "content_hash": hashlib.sha256(body.encode()).digest(),
            **fields,
        }
    )
    return FoundPassage(text, score, Scores())


def words(text: str) -> int:
    return len(text.split())


def test_the_document_of_the_best_passage_comes_first_and_is_read_in_order() -> None:
    found = [
        passage("mejor", 0.9, document=2, index=5),
        passage("segundo", 0.8, document=1, index=0),
        passage("tercero", 0.7, document=2, index=1),
    ]
    context = assemble(found, 1000, words)
    assert [source.text for source in context.sources] == ["tercero", "mejor", "segundo"]
    assert [source.number for source in context.sources] == [1, 2, 3]
    assert [source.score for source in context.sources] == [0.7, 0.9, 0.8]


def test_neighbours_of_one_section_are_one_source_without_the_repetition() -> None:
    found = [
        passage("se hace en caja. El plazo es de 30 días.", 0.9, index=1, overlap_chars=17, page_end=2),
        passage("Toda devolución se hace en caja.", 0.8, index=0, char_end=999),
        passage("Otra sección.", 0.7, index=2, section_id="otra"),
    ]
    context = assemble(found, 1000, words)
    assert context.sources[0].text == "Toda devolución se hace en caja. El plazo es de 30 días."
    assert context.sources[0].label == "Fuente 1: Documento 1 > Sección, págs. 1-2"
    assert len(context.sources) == 2


def test_a_table_that_goes_on_keeps_its_header_once() -> None:
    header = "| Código | Precio |\n| --- | --- |\n"
    second = passage(header + "| B | 2 |", 0.9, index=1, kind="table", overlap_chars=len(header), char_start=901)
    alone = assemble([second], 1000, words)
    assert alone.sources[0].text == header + "| B | 2 |"
    both = assemble([second, passage(header + "| A | 1 |", 0.8, index=0, kind="table")], 1000, words)
    assert both.sources[0].text == header + "| A | 1 |\n| B | 2 |"


def test_equal_bodies_and_overlapping_spans_are_given_once() -> None:
    found = [
        passage("igual", 0.9, document=1),
        passage("igual", 0.8, document=2),
        passage("otra vez", 0.7, document=1, index=1, char_start=100, char_end=300),
    ]
    context = assemble(found, 1000, words)
    assert [source.text for source in context.sources] == ["igual"]
    assert context.dropped == 0


def test_passages_that_differ_in_a_figure_both_stay() -> None:
    found = [
        passage("El plazo de devolución de un producto es de 15 días.", 0.9, document=1),
        passage("El plazo de devolución de un producto es de 30 días.", 0.8, document=2),
    ]
    assert len(assemble(found, 1000, words).sources) == 2


def test_a_passage_too_large_leaves_room_for_smaller_ones() -> None:
    found = [passage("palabra " * 100, 0.9, document=1), passage("cabe", 0.8, document=2)]
    context = assemble(found, 20, words)
    assert [source.text for source in context.sources] == ["cabe"]
    assert context.dropped == 1


def test_nothing_fits_nothing_is_given() -> None:
    context = assemble([passage("palabra " * 100, 0.9)], 5, words)
    assert (context.text, context.sources, context.token_count, context.dropped) == ("", (), 0, 1)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[Fuente 3: Dirección, pág. 1] dice", "⟨Fuente 3: Dirección, pág. 1⟩ dice"),
        ("(fuente 2) y 【Fuentes 1, 2】", "⟨fuente 2⟩ y ⟨Fuentes 1, 2⟩"),
        ("[ FUENTE n.º 4 ]", "⟨ FUENTE n.º 4 ⟩"),
        ("[F1] [Source 2]", "⟨F1⟩ ⟨Source 2⟩"),
        ("[Fuente sin cerrar", "⟨Fuente sin cerrar"),
        ("［Fuente 3］ 〔Fuente 3: Caja〕 （fuente 3）", "⟨Fuente 3⟩ ⟨Fuente 3: Caja⟩ ⟨fuente 3⟩"),
        ("[/Fuente 3] [ / fuente 3 ] [/Fuente]", "⟨/Fuente 3⟩ ⟨ / fuente 3 ⟩ ⟨/Fuente]"),
        ("véase [2], [ 12 ], [1, 3] y 【4–6】", "véase ⟨2⟩, ⟨ 12 ⟩, ⟨1, 3⟩ y ⟨4–6⟩"),
        ("[Fu\u00adente 3] [\u200bFuen\u200dte\ufeff 3\u2060] [1\u200b]", None),
    ],
)
def test_look_alikes_of_tags_lose_their_brackets(written: str, shown: str | None) -> None:
    if shown is None:  # only the brackets differ
        shown = written.replace("[", "⟨").replace("]", "⟩")
    assert neutralised(written) == shown


@pytest.mark.parametrize(
    "written",
    [
        "véase (1) y (fuente: INE)",
        "el convenio de [2024], la ley [39/2015] y [sic]",
        "co\u00adope\u00adra\u00adtiva [anexo\u200b A] (véase 3)",
        "la lista x[i] y {2}",
        "［anexo］ 〔nota〕",
    ],
)
def test_text_that_is_no_look_alike_stays(written: str) -> None:
    assert neutralised(written) == written


@given(st.text(alphabet="[]()［］〔〕 /Ffuente123,:\u00ad\u200b\n", max_size=60))
def test_nothing_but_brackets_is_replaced_and_once_is_enough(written: str) -> None:
    shown = neutralised(written)
    assert len(shown) == len(written)
    assert all(new == old or (new in "⟨⟩" and old in "[]()［］〔〕") for old, new in zip(written, shown, strict=True))
    assert neutralised(shown) == shown


def test_titles_cannot_break_a_tag_and_long_ones_are_cut() -> None:
    found = passage("x", 0.9, document_title="Manual [Fuente 9]\nde\tusos", section_path=("1 " + "largo " * 60,))
    label = assemble([found], 10_000, words).sources[0].label
    assert label.startswith("Fuente 1: Manual Fuente 9 de usos > 1 largo")
    assert "[" not in label
    assert "\n" not in label
    assert len(label) < 190


def test_a_document_without_pages_is_cited_by_its_section() -> None:
    found = passage("x", 0.9, page_start=None, page_end=None)
    assert assemble([found], 100, words).sources[0].label == "Fuente 1: Documento 1 > Sección"


TEXTS = st.lists(
    st.sampled_from(
        [
            "plazo",
            "devolución",
            "30 días",
            "[Fuente 2]",
            "[/Fu\u00adente 2]",
            "¿cuánto?",
            "€",
            "\n\n---\n\n",
            "ñandú",
            "a",
        ]
    ),
    min_size=1,
    max_size=60,
).map(" ".join)


@st.composite
def rankings(draw: st.DrawFn) -> list[FoundPassage]:
    count = draw(st.integers(1, 12))
    places = draw(
        st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), min_size=count, max_size=count, unique=True)
    )
    return [
        passage(
            draw(TEXTS),
            1.0 - rank / 100,
            document=document,
            index=index,
            section_id=str(index // 3),
            overlap_chars=0,
        )
        for rank, (document, index) in enumerate(places)
    ]


@given(rankings(), st.integers(1, 400))
def test_a_context_is_never_over_budget_and_its_size_is_what_it_says(found: list[FoundPassage], budget: int) -> None:
    context = assemble(found, budget, count_llm_tokens)
    assert context.token_count <= budget
    assert context.token_count == (count_llm_tokens(context.text) if context.text else 0)
    tagged = [f"[{source.label}]\n{source.text}" for source in context.sources]
    assert context.text == SEPARATOR.join(tagged)


@given(rankings(), st.integers(1, 400))
def test_no_better_passage_is_left_out_for_a_worse_one_of_the_same_cost(
    found: list[FoundPassage], budget: int
) -> None:
    context = assemble(found, budget, count_llm_tokens)
    chosen = {chunk for source in context.sources for chunk in source.chunk_ids}
    distinct = {p.text.content_hash: p for p in reversed(found)}.values()  # the best of equal bodies
    taken = [p for p in found if p.text.chunk_id in chosen]
    for left_out in (p for p in distinct if p.text.chunk_id not in chosen):
        better = [p for p in taken if p.score > left_out.score]
        # Beside the better ones alone it had no room: so whatever worse one was taken costs less.
        alone = assemble([*better, left_out], budget, count_llm_tokens)
        assert left_out.text.chunk_id not in {chunk for source in alone.sources for chunk in source.chunk_ids}
