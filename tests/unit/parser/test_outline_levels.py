"""Levels from labels, look and bookmarks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skillnet_parser.domain.heading_rows import is_caps
from skillnet_parser.domain.headings import Heading
from skillnet_parser.domain.layout import Style
from skillnet_parser.domain.levels import assign_levels, find_title
from skillnet_parser.domain.numbering import read_label
from skillnet_parser.domain.outline import OutlineBuilder


def heading(text: str, size: float = 11, *, bold: bool = True, bookmark: int | None = None) -> Heading:
    style = Style(size, bold=bold, emphasised=bold)
    return Heading(0, 0, text, read_label(text), style, is_caps(text), 3, bookmark)


def levels(*headings: Heading, title: int | None = None) -> list[int]:
    return assign_levels(headings, title)


def test_larger_stands_above_smaller() -> None:
    assert levels(heading("A", 18), heading("B", 14), heading("C", 14), heading("D", 18)) == [1, 2, 2, 1]


def test_divisions_and_decimals_keep_their_own_order_whatever_their_size() -> None:
    ley = ("TÍTULO I", 11), ("CAPÍTULO I", 12), ("Artículo 1. A", 12), ("Artículo 2. B", 12), ("TÍTULO II", 11)
    assert levels(*(heading(text, size) for text, size in ley)) == [1, 2, 3, 3, 1]
    assert levels(*(heading(text) for text in ("1. A", "1.1 B", "1.1.1 C", "1.2 D", "2. E"))) == [1, 2, 3, 2, 1]


def test_a_title_stands_above_all_and_odd_sizes_push_nothing_down() -> None:
    headings = [
        heading("Zava", 36),
        heading("Plan de salud", 24),
        heading("Resumen", 26),
        heading("Uno", 14),
        heading("Dos", 14),
    ]
    assert levels(*headings) == [1, 1, 1, 1, 1]
    assert levels(*headings, title=0) == [1, 2, 2, 2, 2]


def test_an_annex_set_like_the_chapters_stands_beside_them() -> None:
    headings = [heading("1. Uno", 14), heading("1.1 A", 12), heading("Anexo A. Formularios", 14)]
    assert levels(*headings) == [1, 2, 1]


def test_bookmarks_rank_what_looks_alike() -> None:
    headings = [heading("Plazos", bookmark=1), heading("Excepciones", bookmark=2), heading("Pagos", bookmark=1)]
    assert levels(*headings) == [1, 2, 1]


def test_no_level_is_skipped() -> None:
    assert levels(heading("A", 18), heading("B", 18), heading("c", 10), heading("C", 14), heading("D", 14)) == [
        1,
        1,
        2,
        2,
        2,
    ]


def test_the_title_is_found_among_the_first_headings() -> None:
    headings = [heading("GUÍA DEL PERSONAL"), heading("Plan de salud laboral", 18)]
    assert find_title(headings, "Plan de salud laboral de la empresa") == 1
    assert find_title(headings, "Otra cosa") is None
    assert find_title(headings, None) is None


def test_the_name_of_a_law_is_its_title_before_its_labels() -> None:
    law = [
        heading("LEGISLACIÓN CONSOLIDADA"),
        heading("Ley Orgánica 3/2018, de 5 de diciembre"),
        heading("Artículo 1."),
    ]
    assert find_title(law, None) == 1
    assert find_title([*law[::-1]], None) is None


def test_one_of_several_headings_set_alike_is_no_title() -> None:
    assert find_title([heading("Referencia", 18), heading("Uso", 18)], "Referencia") is None
    assert (
        find_title(
            [heading("Plan de salud laboral", 18), heading("Plan de salud laboral", 18)], "Plan de salud laboral"
        )
        == 0
    )


def test_a_division_without_a_label_stands_above_the_articles_set_like_it() -> None:
    headings = [heading(text) for text in ("Servicios", "Artículo 1.", "Artículo 2.", "Tasas", "Artículo 3.")]
    placed = [replace(one, first=at, last=at) for one, at in zip(headings, (0, 1, 5, 9, 10), strict=True)]
    assert levels(*placed) == [1, 2, 2, 1, 2]


def test_the_tree_of_sections() -> None:
    outline = OutlineBuilder()
    indices = [outline.add(text, level) for text, level in (("A", 1), ("B", 3), ("C", 2), ("D", 1), ("A", 1))]
    assert indices == [1, 2, 3, 4, 5]
    assert [node.path for node in outline.nodes] == [(), ("A",), ("A", "B"), ("A", "C"), ("D",), ("A",)]
    assert [node.parent for node in outline.nodes] == [None, 0, 1, 1, 0, 0]
    assert len({node.section_id for node in outline.nodes}) == 6


def test_a_level_counts_from_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        OutlineBuilder().add("A", 0)
