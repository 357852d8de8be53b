"""Labels that Word counts and does not store: levels, restarts, formats, and what has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from skillnet_common.documents import BlockKind, ParsedDocument

from .packages import data_of

Parse = Callable[..., ParsedDocument]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]


def level(depth: int, form: str, text: str, extra: str = "") -> str:
    properties = f'<w:start w:val="1"/><w:numFmt w:val="{form}"/>{extra}<w:lvlText w:val="{text}"/>'
    return f'<w:lvl w:ilvl="{depth}">{properties}</w:lvl>'


def numbered(*levels: str, number: str = "", definition: str = "") -> Any:
    """A document whose list 70 has these levels."""
    word = docx.Document()
    root = word.part.numbering_part.element
    abstract = f'<w:abstractNum {nsdecls("w")} w:abstractNumId="70">{definition}{"".join(levels)}</w:abstractNum>'
    root.insert(0, parse_xml(abstract))
    root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="70"><w:abstractNumId w:val="70"/>{number}</w:num>'))
    return word


def item(word: Any, text: str, depth: object = 0, number: object = 70, style: str | None = None) -> None:
    paragraph = word.add_paragraph(text, style=style)
    place = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
    paragraph._p.get_or_add_pPr().append(parse_xml(place))


def labels_of(parse: Parse, word: Any) -> list[str]:
    return [line.split()[0] for line in parse(data_of(word), "a.docx").text.split("\n") if line.strip()]


def test_levels_count_under_each_other_and_begin_anew(parse: Parse) -> None:
    word = numbered(level(0, "decimal", "%1."), level(1, "decimal", "%1.%2."), level(2, "lowerLetter", "%3)"))
    for depth in (0, 1, 1, 2, 2, 0, 1, 2):
        item(word, "texto", depth)
    assert labels_of(parse, word) == ["1.", "1.1.", "1.2.", "a)", "b)", "2.", "2.1.", "a)"]


@pytest.mark.parametrize(
    ("form", "label"),
    [
        ("upperRoman", "IV"),
        ("lowerRoman", "iv"),
        ("upperLetter", "D"),
        ("decimalZero", "04"),
        ("chineseCounting", "4"),
    ],
)
def test_formats(parse: Parse, form: str, label: str) -> None:
    word = numbered(level(0, form, "%1."))
    for _ in range(4):
        item(word, "texto")
    assert labels_of(parse, word)[-1] == f"{label}."


def test_headings_carry_their_numbers(parse: Parse, headings: Outline) -> None:
    word = numbered(level(0, "upperRoman", "Artículo %1."), level(1, "decimalZero", "Sección %1.%2", "<w:isLgl/>"))
    item(word, "Objeto", 0, style="Heading 1")
    item(word, "Ámbito", 1, style="Heading 2")
    assert headings(parse(data_of(word), "a.docx")) == [(1, "Artículo I. Objeto"), (2, "Sección 1.1 Ámbito")]


def test_no_number_is_invented_where_the_format_shows_none(parse: Parse, headings: Outline) -> None:
    word = numbered(level(0, "none", ""), level(1, "none", "%2."), level(2, "none", "Nota:"))
    for depth in range(3):
        item(word, "Plazos", depth, style=f"Heading {depth + 1}")
    assert [title for _, title in headings(parse(data_of(word), "a.docx"))] == ["Plazos", "Plazos", "Nota: Plazos"]


def test_a_level_that_never_begins_anew(parse: Parse) -> None:
    word = numbered(level(0, "upperRoman", "%1."), level(1, "decimal", "%2.", '<w:lvlRestart w:val="0"/>'))
    for depth in (0, 1, 1, 0, 1):
        item(word, "texto", depth)
    assert labels_of(parse, word) == ["I.", "1.", "2.", "II.", "3."]


def test_a_list_that_starts_elsewhere(parse: Parse) -> None:
    start = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    word = numbered(level(0, "decimal", "%1."), number=start)
    for _ in range(2):
        item(word, "texto")
    assert labels_of(parse, word) == ["5.", "6."]


def test_a_definition_that_names_a_list_style(parse: Parse) -> None:
    """Word keeps the levels in another definition, found by the style's name."""
    word = numbered(level(0, "decimal", "%1)"), definition='<w:styleLink w:val="Pasos"/>')
    root = word.part.numbering_part.element
    link = f'<w:abstractNum {nsdecls("w")} w:abstractNumId="71"><w:numStyleLink w:val="Pasos"/></w:abstractNum>'
    root.insert(0, parse_xml(link))
    root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="71"><w:abstractNumId w:val="71"/></w:num>'))
    for _ in range(2):
        item(word, "texto", number=71)
    assert labels_of(parse, word) == ["1)", "2)"]


def test_number_zero_takes_a_paragraph_out_of_its_list(parse: Parse, blocks_of: BlocksOf) -> None:
    word = docx.Document()
    item(word, "Suelto", number=0, style="List Number")
    document = parse(data_of(word), "a.docx")
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Suelto"]


@pytest.mark.parametrize("depth", ["²", "-1", "", "x", "9" * 5000, "99999999999"])
def test_depths_past_reason(parse: Parse, depth: str) -> None:
    override = f'<w:lvlOverride w:ilvl="{depth}"><w:startOverride w:val="{depth}"/></w:lvlOverride>'
    word = numbered(level(0, "lowerLetter", "%1."), number=override)
    item(word, "texto", depth)
    document = parse(data_of(word), "a.docx")
    assert document.text.endswith("texto")
    assert len(document.text) < 60
