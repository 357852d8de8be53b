"""Lists, notes, broken words and page edges of PDFs as they are printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

Parse = Callable[..., ParsedDocument]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


def test_items_numbered_within_an_item_belong_to_its_list(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    sheet.prose(lorem)
    for text in (
        "1. Preparar el horno",
        "1.1 Comprobar el gas",
        "1.2 Encender",
        "2. Hornear",
        "2.1 Cerrar la puerta",
    ):
        sheet.line(text, x=90 if "." in text.split()[0][:-1] else 72)
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.LIST) == [
        "1. Preparar el horno\n  1.1 Comprobar el gas\n  1.2 Encender\n2. Hornear\n  2.1 Cerrar la puerta"
    ]


def test_the_letter_o_of_courier_is_a_bullet(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    sheet.prose(lorem)
    for mark, text, x in (
        ("•", "Uniforme completo:", 72),
        ("o", "zapatos de seguridad;", 100),
        ("o", "guantes de nitrilo y gafas, siempre que se trabaje con ácidos como los del tratamiento", 100),
        ("", "o con otros líquidos;", 100),
        ("•", "Casco.", 72),
    ):
        sheet.page.insert_text((x, sheet.y), mark, fontname="cour" if mark == "o" else "helv", fontsize=11)
        sheet.line(text, x=x + 18)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.LIST) == [
        "· Uniforme completo:\n  ◦ zapatos de seguridad;\n  ◦ guantes de nitrilo y gafas, siempre que se trabaje con "
        "ácidos como los del tratamiento o con otros líquidos;\n· Casco."
    ]


def test_a_short_note_on_every_page_stays_once(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    for page in range(2):
        for part in range(4):
            sheet.prose(f"Página {page}, apartado {part}. {lorem} Véase la nota (1).")
        sheet.header("(1) IVA no incluido en los precios.", y=780, size=8)
        if page == 0:
            sheet.turn()
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.NOTE) == ["(1) IVA no incluido en los precios."]
    assert [(removal.reason, removal.page) for removal in document.removed] == [(RemovalReason.RUNNING_LINE, 2)]


def test_a_compound_of_words_that_the_document_has_keeps_its_hyphen(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.line("El conflicto entre las trabajadoras obreras y el sector patronal es de orden obrero-")
    sheet.line("patronal, como se dice en las actas, y los temas patronales se tratan en el desarro-")
    sheet.line("llo de la reunión. " + lorem[:60])
    text = parse(sheet.data(), "a.pdf").text
    assert "obrero-patronal, como" in text
    assert "desarrollo de" in text


def test_lines_over_the_edge_end_in_whole_words_and_the_rest_is_told(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.line("Este aviso largo se sale de la página por su lado derecho y sigue", x=400, gap=20)
    sheet.line("Otro texto que empieza antes del margen izquierdo de la hoja", x=-60, gap=20)
    sheet.prose(lorem, gap=20)
    document = parse(sheet.data(), "a.pdf")
    assert "Este aviso largo se sale de la página por" in document.text.split("\n\n")
    assert "que empieza antes del margen izquierdo de la hoja" in document.text.split("\n\n")
    assert [(removal.reason, removal.text) for removal in document.removed] == [
        (RemovalReason.HIDDEN, "su lado derecho y sigue"),
        (RemovalReason.HIDDEN, "Otro texto"),
    ]
