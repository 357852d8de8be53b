"""The example documents: how many there are, what they say and where, and that the sources give them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import pymupdf
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
DOCUMENTS = sorted((EXAMPLES / "documents").iterdir())
PDFS = [path for path in DOCUMENTS if path.suffix == ".pdf"]
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions_demo.json").read_text(encoding="utf-8"))
WORDS_A_PAGE = 350
MAX_BYTES = 200_000
SIDE_MARGIN = 45
END_MARGIN = 20
"""Points that stay free of text at the sides, and at the top and bottom, of a page."""

Word = tuple[float, float, float, float, str]
"""Left, top, right and bottom in points, and the text."""


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rebuilt")
    build(folder)
    return folder


def build(folder: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / "build_documents.py", folder], check=True, capture_output=True)


def page_texts(path: Path) -> list[str]:
    """The text of each page of a PDF; of any other format, one text. White space is single blanks."""
    if path.suffix == ".pdf":
        with pymupdf.open(path) as document:
            return [_flow(page.get_text()) for page in document]
    if path.suffix == ".docx":
        return [_flow("\n".join(_docx_texts(path)))]
    return [_flow(path.read_text(encoding="utf-8"))]


def _docx_texts(path: Path) -> Iterator[str]:
    for item in docx.Document(str(path)).iter_inner_content():
        if isinstance(item, docx.table.Table):
            yield from (cell.text for row in item.rows for cell in row.cells)
        else:
            yield item.text


def _flow(text: str) -> str:
    """Words broken at a line's end are joined, so that a sentence can be looked up."""
    return re.sub(r"\s+", " ", re.sub(r"(?<=[a-záéíóúüñ])-\n(?=[a-záéíóúüñ])", "", text)).strip()


def count_pages(path: Path) -> int:
    pages = page_texts(path)
    return len(pages) if path.suffix == ".pdf" else math.ceil(len(pages[0].split()) / WORDS_A_PAGE)


def test_there_are_enough_documents_pages_and_formats() -> None:
    pages = {path.name: count_pages(path) for path in DOCUMENTS}
    assert len(pages) >= 12
    assert sum(pages.values()) >= 60
    assert min(pages.values()) == 1
    assert max(pages.values()) == pages["manual-del-personal.pdf"] == 20
    assert {path.suffix for path in DOCUMENTS} == {".pdf", ".docx", ".md", ".txt"}


def test_files_are_small() -> None:
    assert {path.name: path.stat().st_size for path in DOCUMENTS if path.stat().st_size > MAX_BYTES} == {}


def test_readme_lists_every_document_with_its_pages() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"\| `documents/(\S+)` \| ~?(\d+) \|", readme))
    assert listed == {path.name: str(count_pages(path)) for path in DOCUMENTS}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_source_gives_the_committed_text(path: Path, rebuilt: Path) -> None:
    assert page_texts(rebuilt / path.name) == page_texts(path)


def test_nothing_else_is_built(rebuilt: Path) -> None:
    assert sorted(path.name for path in rebuilt.iterdir()) == [path.name for path in DOCUMENTS]


def test_building_twice_gives_the_same_bytes(rebuilt: Path, tmp_path: Path) -> None:
    build(tmp_path)
    differing = [p.name for p in rebuilt.iterdir() if p.read_bytes() != (tmp_path / p.name).read_bytes()]
    assert differing == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["kind"])
def test_answer_and_section_stand_where_the_demo_expects_them(question: dict[str, Any]) -> None:
    pages = page_texts(EXAMPLES / "documents" / question["document"])
    holding = [number for number, text in enumerate(pages, start=1) if question["answer"] in text]
    assert holding == [question["page"]]
    page = pages[question["page"] - 1]
    assert page.index(question["section"]) < page.index(question["answer"])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["kind"])
def test_answer_stands_in_one_document_only(question: dict[str, Any]) -> None:
    holding = [path.name for path in DOCUMENTS if question["answer"] in " ".join(page_texts(path))]
    assert holding == [question["document"]]


@pytest.mark.parametrize(
    ("name", "page", "text"),
    [
        ("codigos-de-proveedores.docx", 1, "REF-2041-B"),
        ("codigos-de-proveedores.docx", 1, "ISO-9001"),
        ("codigos-de-proveedores.docx", 1, "FSSC-22000"),
        ("tarifa-de-precios.pdf", 1, "PAN-003 Hogaza de masa madre 800 g 4,10 € 5,13 €"),
        ("tarifa-de-precios.pdf", 2, "TAR-205 Tres chocolates 23,50 € 35,00 € 52,00 €"),
        ("alergenos-y-seguridad-alimentaria.pdf", 1, "14 Mol Moluscos"),
        ("alergenos-y-seguridad-alimentaria.pdf", 2, "Glu Cru Hue Pes Cac Soj Lác Fru Api Mos Sés Sul Alt Mol"),
        ("folleto-encargos.pdf", 1, "¿Con cuánta antelación?"),
        ("guia-da-loja-de-elvas.pdf", 3, "Livro de Reclamações"),
        ("politica-de-devoluciones.pdf", 1, "«Producto en mal estado»"),
        ("manual-del-personal.pdf", 8, "1.695,00 €"),
        ("aviso-corte-de-agua.txt", 1, "martes 10 de marzo de 2026"),
    ],
)
def test_text_is_found_on_its_page(name: str, page: int, text: str) -> None:
    assert text in page_texts(EXAMPLES / "documents" / name)[page - 1]


@pytest.mark.parametrize("path", PDFS, ids=lambda path: path.name)
def test_text_keeps_the_margins_and_no_word_lies_on_another(path: Path) -> None:
    with pymupdf.open(path) as document:
        for page in document:
            words = [word[:5] for word in page.get_text("words")]
            right, bottom = page.rect.width - SIDE_MARGIN, page.rect.height - END_MARGIN
            outside = [
                text
                for x0, y0, x1, y1, text in words
                if x0 < SIDE_MARGIN or y0 < END_MARGIN or x1 > right or y1 > bottom
            ]
            assert outside == []
            assert list(_overlaps(words)) == []


def _overlaps(words: list[Word]) -> Iterator[tuple[Word, Word]]:
    """Pairs that share more than the hair's breadth by which the boxes of neighbouring lines touch."""
    by_top = sorted(words, key=lambda word: word[1])
    for number, word in enumerate(by_top):
        for other in by_top[number + 1 :]:
            if other[1] > word[3] - 0.4 * (word[3] - word[1]):
                break
            if min(word[2], other[2]) - max(word[0], other[0]) > 1:
                yield word, other


@pytest.mark.parametrize("path", PDFS, ids=lambda path: path.name)
def test_every_page_of_a_pdf_has_its_own_text(path: Path) -> None:
    pages = page_texts(path)
    sentences = [sentence for page in pages for sentence in re.findall(r"[^.]{60,}\.", page)]
    assert len(sentences) == len(set(sentences))
    assert min(len(page) for page in pages) > 500


def test_contents_page_gives_the_pages_of_the_headings() -> None:
    pages = page_texts(EXAMPLES / "documents" / "manual-del-personal.pdf")
    contents = " ".join(pages[1:3]).partition("Índice")[2]
    entries = re.findall(r"((?:\d+\.\d* |Anexo )[^.]+(?:\. [^.]+)?) \.{5,} (\d+)", contents)
    assert len(entries) > 60
    assert [entry for entry in entries if entry[0] not in pages[int(entry[1]) - 1]] == []


def test_leaflet_has_two_columns() -> None:
    with pymupdf.open(EXAMPLES / "documents" / "folleto-encargos.pdf") as document:
        page = document[1]
        middle = page.rect.width / 2
        body = [word for word in page.get_text("words") if word[3] < page.rect.height - 60]
    assert [word[4] for word in body if word[0] < middle < word[2]] == []
    assert sum(word[0] < middle for word in body) > 150
    assert sum(word[0] > middle for word in body) > 150


@pytest.mark.parametrize("path", [p for p in DOCUMENTS if p.suffix == ".docx"], ids=lambda path: path.name)
def test_word_documents_have_heading_styles_and_tables(path: Path) -> None:
    document = docx.Document(str(path))
    styles = {paragraph.style.name for paragraph in document.paragraphs if paragraph.style}
    assert {"Title", "Heading 1", "Heading 2", "List Number"} <= styles
    assert document.tables
