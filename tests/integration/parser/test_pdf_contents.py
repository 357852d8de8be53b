"""What is a table of contents and what only has dots: forms, price lists, places to sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument

Parse = Callable[..., ParsedDocument]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

DOTS = "." * 60


@pytest.mark.parametrize("leader", ["." * 60, "_" * 40, "…" * 20, ". " * 30])
def test_the_lines_of_a_form_are_text(parse: Parse, sheet: Any, blocks_of: BlocksOf, leader: str) -> None:
    sheet.line("PARTE DE ACCIDENTE", size=14, font="hebo")
    fields = ("Nombre", "DNI", "Centro de trabajo", "Descripción del accidente", "Firma")
    for field in fields[:3]:
        sheet.line(f"{field}: {leader}", size=10, gap=6)
    sheet.line("Avise siempre al 900 555 111 antes de 24 horas.", size=10, gap=6)
    for field in fields[3:]:
        sheet.line(f"{field}: {leader}", size=10, gap=6)
    document = parse(sheet.data(), "parte.pdf")
    assert blocks_of(document, BlockKind.CONTENTS) == []
    text = " ".join(blocks_of(document, BlockKind.PARAGRAPH))
    assert all(f"{field}:" in text for field in fields)
    assert "Avise siempre al 900 555 111 antes de 24 horas." in text


def test_dots_before_numbers_that_fall_are_no_contents(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    sheet.line("Existencias del almacén", size=14, font="hebo")
    for name, count in (("Tornillos", 120), ("Tuercas", 45), ("Arandelas", 310), ("Pasadores", 8), ("Remaches", 64)):
        sheet.line(f"{name} {DOTS} {count}", size=10, gap=6)
    assert blocks_of(parse(sheet.data(), "almacen.pdf"), BlockKind.CONTENTS) == []


def test_a_form_below_a_contents_is_text(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    pages = {"Prólogo": "vii", "Alta": "1", "Baja": "1", "Firma": "3"}
    entries = [f"{title} {DOTS} {page}" for title, page in pages.items()]
    sheet.line("Índice", size=14, font="hebo")
    for entry in entries:
        sheet.line(entry, size=10, gap=6)
    sheet.prose(lorem, size=10, gap=30)
    sheet.prose(lorem, size=10)
    for field in ("Nombre", "DNI", "Firma"):
        sheet.line(f"{field}: {DOTS}", size=10, gap=6)
    document = parse(sheet.data(), "impreso.pdf")
    assert blocks_of(document, BlockKind.CONTENTS) == ["\n".join(["Índice", *entries])]
