"""Packages of Word that readers have been reported to refuse, to choke on or to trust."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest

from skillnet_common.documents import ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault

from .packages import data_of, with_part
from .wordml import DOCUMENT, RELATION_TYPES, RELATIONS, STYLES, append, run, with_file

Parse = Callable[..., ParsedDocument]


@pytest.fixture
def word() -> Any:
    return docx.Document()


def fault_of(parse: Parse, data: bytes) -> ErrorCode:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.docx")
    return caught.value.code


def test_a_paragraph_whose_style_does_not_exist(parse: Parse, word: Any) -> None:
    append(word, f"<w:p><w:pPr><w:pStyle w:val='NoExiste'/></w:pPr>{run('Texto.')}</w:p>")
    assert parse(data_of(word), "a.docx").text == "Texto."


@pytest.mark.parametrize("part", [STYLES, RELATIONS, "word/numbering.xml", "[Content_Types].xml", "_rels/.rels"])
def test_a_package_that_lacks_a_part_keeps_its_text(parse: Parse, word: Any, part: str) -> None:
    word.add_heading("Plazos", 1)
    word.add_paragraph("Uno", style="List Number")
    text = parse(with_part(data_of(word), part, lambda _xml: None), "a.docx").text
    assert "Plazos" in text
    assert text.endswith("Uno")


@pytest.mark.parametrize("target", ["NULL", "../media/no.png", "", "file:///C:/x.xml", "/word/no.xml"])
def test_relationships_to_nothing(parse: Parse, word: Any, target: str) -> None:
    word.add_paragraph("Texto.")
    relation = "".join(
        f'<Relationship Id="n{number}" Type="{RELATION_TYPES}/{kind}" Target="{target}"/>'
        for number, kind in enumerate(("footnotes", "image", "aFChunk", "header"))
    )
    data = with_part(
        data_of(word),
        RELATIONS,
        lambda xml: xml.replace(b"</Relationships>", f"{relation}</Relationships>".encode()),
    )
    assert parse(data, "a.docx").text == "Texto."


@pytest.mark.parametrize("rename", [str.upper, str.title, lambda name: name.replace("/", "\\")])
def test_names_of_parts_in_another_case_or_with_backslashes(
    parse: Parse, word: Any, rename: Callable[[str], str]
) -> None:
    word.add_heading("Plazos", 2)
    source = zipfile.ZipFile(io.BytesIO(data_of(word)))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for entry in source.namelist():
            target.writestr(rename(entry), source.read(entry))
    document = parse(buffer.getvalue(), "a.docx")
    assert [(section.level, section.heading) for section in document.sections[1:]] == [(2, "Plazos")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.docm", "ms-word.document.macroEnabled.main"),
        ("a.dotx", "openxmlformats-officedocument.wordprocessingml.template.main"),
        ("a.dotm", "ms-word.template.macroEnabledTemplate.main"),
    ],
)
def test_templates_and_documents_with_macros(parse: Parse, word: Any, name: str, kind: str) -> None:
    word.add_paragraph("Texto.")
    plain = b"openxmlformats-officedocument.wordprocessingml.document.main"
    data = with_part(data_of(word), "[Content_Types].xml", lambda xml: xml.replace(plain, kind.encode()))
    assert kind.encode() in zipfile.ZipFile(io.BytesIO(data)).read("[Content_Types].xml")
    document = parse(data, name)
    assert (document.text, document.file_type) == ("Texto.", "docx")


@pytest.mark.parametrize(
    "change", [lambda xml: xml[: len(xml) // 2], lambda _xml: b"", lambda _xml: None, lambda xml: xml + b"<x/>"]
)
def test_a_damaged_body(parse: Parse, word: Any, change: Callable[[bytes], bytes | None]) -> None:
    word.add_paragraph("Texto.")
    code = fault_of(parse, with_part(data_of(word), DOCUMENT, change))
    assert code in (ErrorCode.CORRUPT_FILE, ErrorCode.UNSUPPORTED_TYPE)


@pytest.mark.parametrize("method", [1, 12, 14, 93])
def test_methods_of_compression_that_are_not_what_they_say(parse: Parse, word: Any, method: int) -> None:
    word.add_paragraph("Texto.")
    data = data_of(word)
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.index(mark)
        while at >= 0:
            data = data[: at + offset] + method.to_bytes(2, "little") + data[at + offset + 2 :]
            at = data.find(mark, at + 4)
    assert fault_of(parse, data) is ErrorCode.CORRUPT_FILE


def test_a_checksum_that_does_not_fit(parse: Parse, word: Any) -> None:
    word.add_paragraph("Texto.")
    data = bytearray(data_of(word))
    at = data.rindex(b"PK\x01\x02", 0, data.index(DOCUMENT.encode(), data.index(b"PK\x01\x02")))
    data[at + 16] ^= 0xFF
    assert fault_of(parse, bytes(data)) is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize("part", [DOCUMENT, STYLES, RELATIONS, "_rels/.rels", "docProps/core.xml"])
def test_entities_are_refused_in_every_part(parse: Parse, word: Any, part: str) -> None:
    word.add_paragraph("Texto.")
    levels = "".join(f'<!ENTITY {name} "{f"&{below};" * 10}">' for below, name in ("ab", "bc", "cd", "de"))
    bomb = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{levels}]>'.encode()
    data = with_part(
        data_of(word), part, lambda xml: xml[: xml.index(b"?>") + 2] + bomb + xml[xml.index(b"?>") + 2 :]
    )
    assert fault_of(parse, data) is ErrorCode.UNSAFE_ARCHIVE


def test_a_bomb_of_many_small_elements_is_refused_before_it_is_opened(
    parse: Parse, word: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    word.add_paragraph("Texto.")
    runs = b"<w:p><w:r><w:t>a</w:t></w:r></w:p>" * 1_500_000
    data = with_part(data_of(word), DOCUMENT, lambda xml: xml.replace(b"<w:body>", b"<w:body>" + runs))
    assert len(data) < 500_000

    def open_none(*_args: object, **_options: object) -> None:
        raise AssertionError

    monkeypatch.setattr(zipfile.ZipFile, "open", open_none)
    assert fault_of(parse, data) is ErrorCode.UNSAFE_ARCHIVE


def test_a_bomb_within_a_document_within_a_document(parse: Parse, word: Any) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(DOCUMENT, b"0" * 20_000_000)
    word.add_paragraph("Antes.")
    append(word, '<w:altChunk r:id="added"/>')
    code = fault_of(parse, with_file(data_of(word), "anexo.docx", "aFChunk", buffer.getvalue()))
    assert code is ErrorCode.UNSAFE_ARCHIVE


def nested(depth: int) -> bytes:
    """Tables of one cell within each other."""
    return (
        b"<w:tbl><w:tr><w:tc>" * depth
        + b"<w:p><w:r><w:t>Al fondo.</w:t></w:r></w:p>"
        + b"</w:tc></w:tr></w:tbl>" * depth
    )


def test_tables_nested_deeper_than_the_library_expects_are_read(parse: Parse, word: Any) -> None:
    word.add_paragraph("Antes.")
    data = with_part(data_of(word), DOCUMENT, lambda xml: xml.replace(b"<w:sectPr", nested(200) + b"<w:sectPr", 1))
    assert parse(data, "a.docx").text == "Antes.\n\nAl fondo."


@pytest.mark.parametrize("depth", [600, 3000])
def test_tables_nested_too_deeply_are_told(parse: Parse, word: Any, depth: int) -> None:
    word.add_paragraph("Antes.")
    data = with_part(data_of(word), DOCUMENT, lambda xml: xml.replace(b"<w:sectPr", nested(depth) + b"<w:sectPr", 1))
    with pytest.raises(PermanentFault, match="nested too deeply") as caught:
        parse(data, "a.docx")
    assert caught.value.code is ErrorCode.CORRUPT_FILE


def test_many_paragraphs_of_one_form_are_no_bomb(parse: Parse, word: Any) -> None:
    """As a program writes them they shrink 300 times."""
    word.add_paragraph("Texto.")
    one = b'<w:p><w:pPr></w:pPr><w:r><w:t xml:space="preserve">a</w:t></w:r></w:p>'
    data = with_part(data_of(word), DOCUMENT, lambda xml: xml.replace(b"<w:sectPr", one * 80_000 + b"<w:sectPr", 1))
    assert len(data) < 100_000
    assert parse(data, "a.docx").text.count("\na") == 80_000


def test_an_entry_of_no_xml_grows_no_more_than_before(parse: Parse, word: Any) -> None:
    word.add_paragraph("Texto.")
    data = io.BytesIO(data_of(word))
    with zipfile.ZipFile(data, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/imagen.bin", b"regular %d\n" % 1 * 600_000)
    assert fault_of(parse, data.getvalue()) is ErrorCode.UNSAFE_ARCHIVE
