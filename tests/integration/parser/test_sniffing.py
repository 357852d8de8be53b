"""The type of a file is told by its content; archives are checked before they are opened."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pymupdf
import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.formats.sniff import FileType, sniff_type
from skillnet_parser.limits import ParseLimits


def make_pdf() -> bytes:
    document = pymupdf.open()
    document.new_page()
    data: bytes = document.tobytes()
    return data


def make_docx() -> bytes:
    buffer = io.BytesIO()
    docx.Document().save(buffer)
    return buffer.getvalue()


def make_zip(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def sniff(tmp_path: Path, data: bytes, name: str, limits: ParseLimits | None = None) -> FileType:
    path = tmp_path / "original"
    path.write_bytes(data)
    return sniff_type(path, name, limits or ParseLimits())


def fault_of(tmp_path: Path, data: bytes, name: str, limits: ParseLimits | None = None) -> PermanentFault:
    with pytest.raises(PermanentFault) as caught:
        sniff(tmp_path, data, name, limits)
    return caught.value


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (make_pdf(), "INFORME.PDF", FileType.PDF),
        (make_pdf(), "informe.txt", FileType.PDF),
        (b"\r\n junk " + make_pdf(), "informe.pdf", FileType.PDF),
        (b"Un PDF empieza por %PDF-1.7 y acaba por %%EOF.\n", "formatos.md", FileType.MARKDOWN),
        (b"Asunto: horario\nFecha: hoy\n\nMessage-ID: no se usa\n", "nota.txt", FileType.TEXT),
        (make_docx(), "acta.docx", FileType.DOCX),
        (make_docx(), "acta.pdf", FileType.DOCX),
        (b"# Uno\n", "LEEME.MD", FileType.MARKDOWN),
        (b"# Uno\n", "leeme.txt", FileType.TEXT),
        (b"# Uno\n\n- a\n\n## Dos\n", "leeme", FileType.MARKDOWN),
        (b"Querida Ana:\n", "carta", FileType.TEXT),
        ("año".encode("utf-16"), "a.txt", FileType.TEXT),
        (make_zip({"xl/workbook.xml": b"x"}), "libro.docx", FileType.XLSX),
        (make_zip({"ppt/presentation.xml": b"x"}), "charla.xlsx", FileType.PPTX),
        (b"<!DOCTYPE html><html></html>", "web", FileType.HTML),
        (b"\xef\xbb\xbf<!-- x -->\n<HTML lang=es>", "web.txt", FileType.HTML),
        (b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'>", "web.xml", FileType.HTML),
        ("<html>".encode("utf-16"), "web", FileType.HTML),
        (b"Antes <p>uno</p>", "web.htm", FileType.HTML),
        (b"<div><p>uno</p><p>dos</p></div>", "trozo", FileType.HTML),
        (b"<html> en Markdown\n", "a.md", FileType.MARKDOWN),
        (b"<!doctype html>\n<title>x</title>", "a.md", FileType.HTML),
        (b"a;b\n1;2\n", "tabla.csv", FileType.CSV),
        (b"a\tb\n1\t2\n", "tabla.TSV", FileType.CSV),
        (b"{ esto no es JSON }\n", "nota.json", FileType.TEXT),
        (b"a;b;c\n" + b"1;2;3\n" * 6, "tabla", FileType.CSV),
        (b"a;b;c\n" + b"1;2;3\n" * 6, "tabla.txt", FileType.TEXT),
        (b"Uno, dos, tres.\n\nCuatro, cinco y seis.\nSiete, ocho, nueve.\n", "carta", FileType.TEXT),
    ],
)
def test_content_decides(tmp_path: Path, data: bytes, name: str, expected: FileType) -> None:
    assert sniff(tmp_path, data, name) is expected


@pytest.mark.parametrize(
    ("data", "name", "named"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "foto.pdf", "an image"),
        (make_zip({"xl/workbook.bin": b"x"}), "libro.xlsx", "an Excel workbook in the binary format"),
        (make_zip({"content.xml": b"x"}), "charla.docx", "an OpenDocument file"),
        (make_zip({"a.txt": b"x"}), "cosas.zip", "a ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "carta.doc", "before 2007"),
        (b"<?xml version='1.0'?><datos/>", "datos.xml", "XML"),
        (b'{"plazo": 30}', "datos.json", "JSON"),
        (b"{\\rtf1 hola}", "carta.rtf", "RTF"),
        (b"{\\rtf1 hola}", "carta.txt", "RTF"),
        (b"{\\rtf1 hola}", "carta.docx", "RTF"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "escaneo.pdf", "an image"),
        (
            make_zip({"mimetype": b"application/epub+zip", "META-INF/container.xml": b"x"}),
            "libro.pdf",
            "an EPUB book",
        ),
        (
            make_zip({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"x"}),
            "a.docx",
            "OpenDocument",
        ),
        (b"Message-ID: <1@x.es>\r\nSubject: Hola\r\n\r\nCuerpo\r\n", "correo.txt", "an e-mail"),
        ("MIME-Version: 1.0\nSubject: Hola\n\nCuerpo\n".encode("utf-16"), "correo.eml", "an e-mail"),
    ],
)
def test_other_types_are_named_beside_what_is_supported(tmp_path: Path, data: bytes, name: str, named: str) -> None:
    fault = fault_of(tmp_path, data, name)
    assert fault.code is ErrorCode.UNSUPPORTED_TYPE
    assert named in fault.message
    assert "PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), HTML, CSV, Markdown and plain text" in fault.message


def test_an_encrypted_office_file_needs_its_password(tmp_path: Path) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    assert fault_of(tmp_path, data, "a.docx").code is ErrorCode.PASSWORD_REQUIRED


def test_an_empty_file(tmp_path: Path) -> None:
    assert fault_of(tmp_path, b"", "a.pdf").code is ErrorCode.EMPTY_FILE


@pytest.mark.parametrize("kept", [10, 200, 5000])
def test_a_zip_cut_short_is_damaged(tmp_path: Path, kept: int) -> None:
    assert fault_of(tmp_path, make_docx()[:kept], "a.docx").code is ErrorCode.CORRUPT_FILE


BOMB = make_zip({"word/document.xml": b"0" * 30_000_000})


@pytest.mark.parametrize(
    ("data", "limits"),
    [
        (BOMB, ParseLimits()),
        (BOMB, ParseLimits(max_archive_bytes=1000, max_archive_ratio=100_000)),
        (make_docx(), ParseLimits(max_archive_entries=3)),
    ],
)
def test_archives_past_a_limit_are_not_opened(tmp_path: Path, data: bytes, limits: ParseLimits) -> None:
    assert fault_of(tmp_path, data, "a.docx", limits).code is ErrorCode.UNSAFE_ARCHIVE


def test_two_entries_of_one_name_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", b"a")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("word/document.xml", b"b")
    assert fault_of(tmp_path, buffer.getvalue(), "a.docx").code is ErrorCode.UNSAFE_ARCHIVE
