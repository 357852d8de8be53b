"""What readers of Markdown, text, CSV, sheets and slides have been reported to lose or mistake."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


@pytest.mark.parametrize("word", ["ñandú, índice", "São Paulo", "l·l", "¿Qué? ¡Sí! «cita»", "100 € – 5 %"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
def test_windows_1252_is_told_from_its_neighbours(parse: Parse, word: str, name: str) -> None:
    """Detectors take it for Windows-1250 or Mac Roman, above all in short texts."""
    source = f"<p>{word}</p>" if name == "a.html" else word
    document = parse(source.encode("cp1252"), name)
    assert document.text.replace("| ", "").startswith(word.partition(",")[0])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-8"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv"])
def test_byte_order_marks_in_every_format(parse: Parse, encoding: str, name: str) -> None:
    document = parse("\ufeffñandú; índice".encode(encoding), name)
    assert "ñandú" in document.text
    assert "\ufeff" not in document.text
    assert document.warnings == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html", "sin nombre"])
def test_utf_16_without_its_mark(parse: Parse, encoding: str, name: str) -> None:
    source = "<p>ñandú e índice</p>" if name == "a.html" else "ñandú e índice, año y 5 €"
    document = parse(source.encode(encoding), name)
    assert "ñandú e índice" in document.text
    assert document.warnings == ()


@pytest.mark.parametrize("data", [bytes(100), b"a\x00" * 3, b"\x01\x00\x02\x00" * 40, b"MZ\x90\x00\x03" + bytes(99)])
def test_zeros_alone_make_no_text(parse: Parse, data: bytes) -> None:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.txt")
    assert caught.value.code is ErrorCode.UNSUPPORTED_TYPE


@pytest.mark.parametrize("note", ["Norma", "https://x.es/norma", "Según la norma 5, párrafo 2."])
def test_notes_of_markdown_are_text(parse: Parse, note: str) -> None:
    source = f"Se aplica[^1] [la guía][g].\n\n[^1]: {note}\n\n[g]: https://x.es/guia\n"
    assert parse(source.encode(), "a.md").text == f"Se aplica[^1] la guía.\n\n[^1]: {note}"


def test_a_sign_in_code_is_no_heading(parse: Parse, headings: Outline, blocks_of: BlocksOf) -> None:
    source = (
        "# Uno\n\n~~~~ python\n# comentario\n```\n## otro\n~~~~\n\n    # sangrado\n\nEl signo `# así` no.\n\n"
        "```\n# sin cerrar\n"
    )
    document = parse(source.encode(), "a.md")
    assert headings(document) == [(1, "Uno")]
    assert blocks_of(document, BlockKind.CODE) == ["# comentario\n```\n## otro", "# sangrado", "# sin cerrar"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("## Plazos ##", [(2, "Plazos")]),
        ("## Plazos ##########", [(2, "Plazos")]),
        ("## Lenguaje C#", [(2, "Lenguaje C#")]),
        ("## Plazos \\#", [(2, "Plazos #")]),
        ("   ### Plazos", [(3, "Plazos")]),
        ("#Plazos", []),
        ("####### Plazos", []),
        ("\\# Plazos", []),
        ("#\u00a0Plazos", []),
    ],
)
def test_signs_around_headings(parse: Parse, headings: Outline, line: str, found: list[tuple[int, str]]) -> None:
    document = parse(f"Antes.\n\n{line}\n\nDespués.\n".encode(), "a.md")
    assert headings(document) == found
    assert document.text.startswith("Antes.")


def test_text_before_the_first_heading_stays(parse: Parse) -> None:
    document = parse(b"Antes del primero.\n\n# Uno\n\nTexto.\n", "a.md")
    assert document.text.startswith("Antes del primero.")
    assert document.sections[0].heading == ""
    assert document.text[: document.sections[0].end] == "Antes del primero."


@pytest.mark.parametrize("space", ["\u00a0", "\t", "\u2009", "\u3000"])
def test_spaces_of_every_kind_part_words(parse: Parse, space: str) -> None:
    text = parse(f"uno{space}dos\n".encode(), "a.md").text
    assert text.split() == ["uno", "dos"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind(parse: Parse, headings: Outline, end: str) -> None:
    source = end.join(["---", "title: Manual", "---", "", "# Uno", "", "| a | b |", "|---|---|", "| 1 | 2 |", ""])
    document = parse(source.encode(), "a.md")
    assert (document.title, headings(document)) == ("Manual", [(1, "Uno")])
    assert "| 1 | 2 |" in document.text


@pytest.mark.parametrize(
    ("matter", "title"),
    [
        ("title: Plazos", "Plazos"),
        ("title: 'Plazos: y más'", "Plazos: y más"),
        ("layout: x\ntitle:   Plazos   \ntags: [a]", "Plazos"),
        ("titulo: Otro", "Uno"),
        ("title: ''", "Uno"),
    ],
)
def test_front_matter(parse: Parse, matter: str, title: str) -> None:
    document = parse(f"---\n{matter}\n---\n\n# Uno\n\nTexto.\n".encode(), "a.md")
    assert document.title == title
    assert document.text == "Uno\n\nTexto."


def test_html_in_markdown(parse: Parse, headings: Outline) -> None:
    source = (
        "<h1 align=center>Manual</h1>\n\n<details><summary>Ver más</summary>\n\nDentro **negrita**.\n\n</details>\n\n"
        "<!-- oculto -->\n\nEl valor <kbd>Ctrl</kbd> y 3 < 4 > 2.\n\n"
        "<table><tr><td>Pan</td><td>1 €</td></tr></table>\n\n"
        "<script>\nmal()\n\nmal()\n</script>\n\n<style>p{}</style>\n"
    )
    document = parse(source.encode(), "a.md")
    assert headings(document) == [(1, "Manual")]
    for kept in ("Ver más", "Dentro negrita.", "El valor Ctrl y 3 < 4 > 2.", "Pan", "1 €"):
        assert kept in document.text
    for dropped in ("oculto", "mal()", "p{}", "<"):
        assert dropped not in document.text.replace("3 < 4", "")


def test_headings_of_text_by_their_numbers(parse: Parse, headings: Outline) -> None:
    source = (
        "REGLAMENTO INTERNO\n\nTÍTULO I\n\nCAPÍTULO 1. Plazos\n\nTexto corriente.\n\n1.1 Devoluciones\n\nTexto.\n\n"
        "1.1.1 Sin tique\n\nTexto.\n\n1.2 Cambios\n\nTexto.\n\nArtículo 3. Objeto.\n\nTexto.\n\nANEXO II\n\nTexto.\n"
    )
    found = headings(parse(source.encode(), "a.txt"))
    assert [title for _, title in found] == [
        "REGLAMENTO INTERNO",
        "TÍTULO I",
        "CAPÍTULO 1. Plazos",
        "1.1 Devoluciones",
        "1.1.1 Sin tique",
        "1.2 Cambios",
        "Artículo 3. Objeto.",
        "ANEXO II",
    ]
    levels = {title: level for level, title in found}
    assert levels["TÍTULO I"] < levels["CAPÍTULO 1. Plazos"] < levels["Artículo 3. Objeto."]
    assert levels["1.1 Devoluciones"] == levels["1.2 Cambios"] == levels["1.1.1 Sin tique"] - 1


@pytest.mark.parametrize(
    "line",
    ["1. Abrir la caja a las ocho.", "12:30 Comida", "3 de mayo de 2024", "1,5 litros de agua", "2024 fue bueno."],
)
def test_numbers_that_begin_a_line_of_text_head_nothing(parse: Parse, headings: Outline, line: str) -> None:
    assert headings(parse(f"Antes.\n\n{line}\n\nDespués.\n".encode(), "a.txt")) == []
