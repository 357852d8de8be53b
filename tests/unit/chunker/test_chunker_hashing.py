"""Hashes and what changed between two versions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from skillnet_chunker.domain import (
    SectionDiff,
    content_hash,
    diff_sections,
    embed_hash,
    section_digest,
    section_digests,
)
from skillnet_common.documents import BlockKind, ParsedDocument

P = BlockKind.PARAGRAPH
Build = Callable[..., ParsedDocument]


def test_hashes_are_sha256_of_the_exact_text() -> None:
    assert content_hash("días") == hashlib.sha256("días".encode()).digest()
    assert embed_hash("passage: días") == hashlib.sha256("passage: días".encode()).digest()
    assert content_hash("15 días") != content_hash("15  días")


def test_a_change_of_layout_is_no_change_of_a_section() -> None:
    assert section_digest("El plazo\nes de  30 días.") == section_digest("El plazo es de 30 días.")
    assert section_digest("El plazo es de 30 días.") != section_digest("El plazo es de 15 días.")


def test_sections_that_came_went_and_changed(document: Build) -> None:
    old = section_digests(document([(1, "A", [(P, "uno")]), (1, "B", [(P, "dos")]), (2, "C", [(P, "tres")])]))
    new = section_digests(document([(1, "A", [(P, "uno")]), (1, "B", [(P, "DOS")]), (1, "D", [(P, "tres")])]))
    assert diff_sections(old, new) == SectionDiff(added=(("D",),), changed=(("B",),), removed=(("B", "C"),))
    assert diff_sections(new, new) == SectionDiff((), (), ())


def test_a_section_is_not_changed_by_its_children(document: Build) -> None:
    old = section_digests(document([(1, "A", [(P, "uno")]), (2, "B", [(P, "dos")])]))
    new = section_digests(document([(1, "A", [(P, "uno")]), (2, "B", [(P, "otro")])]))
    assert diff_sections(old, new).changed == (("A", "B"),)


def test_sections_of_equal_path_count_as_one(document: Build) -> None:
    once = section_digests(document([(1, "Nota", [(P, "uno")])]))
    twice = section_digests(document([(1, "Nota", [(P, "uno")]), (1, "Nota", [(P, "dos")])]))
    assert list(twice) == [("Nota",)]
    assert diff_sections(once, twice).changed == (("Nota",),)


def test_text_before_the_first_heading_belongs_to_the_root(document: Build) -> None:
    assert list(section_digests(document([(0, "", [(P, "uno")])]))) == [()]
