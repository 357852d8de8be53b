"""The rules by which the example documents are set."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from typesetting.blocks import Directive, Heading, ListItem, Note, Paragraph, Run, Table, plain_text
from typesetting.hyphenation import break_points
from typesetting.lines import Line, Typeface, break_lines, gap_width
from typesetting.pdf import render_pdf
from typesetting.source import SourceError, read_source
from typesetting.tables import make_grid

FRONT = "---\nfile: nota.pdf\ntitle: Nota\nlanguage: es\nsize: 11\njustify: yes\n---\n"
BODY = Typeface("serif", 11, language="es")


def read(tmp_path: Path, markdown: str, front: str = FRONT) -> Path:
    path = tmp_path / "nota.md"
    path.write_text(front + markdown, encoding="utf-8")
    return path


def texts(lines: list[Line]) -> list[str]:
    return [" ".join(plain_text(word.runs) for word in line.words) for line in lines]


@pytest.mark.parametrize(
    ("word", "language", "parts"),
    [
        ("devoluciones", "es", "devo-lu-cio-nes"),
        ("instrucción", "es", "ins-truc-ción"),
        ("desarrollo", "es", "desa-rro-llo"),
        ("alérgenos", "es", "alér-ge-nos"),
        ("trabalhador", "pt", "tra-ba-lha-dor"),
        ("passagem", "pt", "pas-sa-gem"),
        ("ISO", "es", "ISO"),
        ("REF-2041-B", "es", "REF-2041-B"),
        ("devoluciones", "en", "devoluciones"),
        ("pan", "es", "pan"),
    ],
)
def test_words_are_broken_by_syllables(word: str, language: str, parts: str) -> None:
    points = [0, *break_points(word, language), len(word)]
    assert "-".join(word[a:b] for a, b in pairwise(points)) == parts


def test_a_word_at_the_line_end_is_hyphenated_and_nothing_is_lost() -> None:
    text = "La política de devoluciones vale en todas nuestras tiendas, también en Elvas."
    lines = texts(break_lines((Run(text),), BODY, 120))
    assert any(line.endswith("-") for line in lines)
    assert "".join(line.removesuffix("-") if line.endswith("-") else line + " " for line in lines).strip() == text


def test_a_figure_keeps_its_unit() -> None:
    lines = texts(break_lines((Run("Se devuelven 40 € o el 30 % del pago"),), BODY, 80))
    assert not any(line.startswith(("€", "%")) for line in lines)


def test_only_the_last_line_of_a_justified_paragraph_stays_ragged() -> None:
    lines = break_lines((Run("una frase larga que ocupa varias líneas de texto seguido"),), BODY, 130)
    gaps = [gap_width(line, BODY, 130, justify=True) for line in lines]
    assert gaps[0] > BODY.space
    assert gaps[-1] == BODY.space


def test_blocks_are_read_in_order(tmp_path: Path) -> None:
    text = "# Nota\n\nUn **plazo** fijo.\n\n> Aviso\n\n1. Uno\n2. Dos\n\n"
    markdown = f"{text}<!-- page-break -->\n\n| A | B |\n|:--|--:|\n| 1 | 2 |\n"
    source = read_source(read(tmp_path, markdown))
    assert source.style.justify
    assert source.blocks == (
        Heading(1, "Nota"),
        Paragraph((Run("Un "), Run("plazo", bold=True), Run(" fijo."))),
        Note((Run("Aviso"),)),
        ListItem((Run("Uno"),), 1, 0, first=True),
        ListItem((Run("Dos"),), 2, 0, first=False),
        Directive("page-break"),
        Table(("left", "right"), ((Run("A"),), (Run("B"),)), (((Run("1"),), (Run("2"),)),)),
    )


@pytest.mark.parametrize(
    ("markdown", "front", "message"),
    [
        ("<!-- colums -->\n", FRONT, "unknown directive 'colums'"),
        ("```\ncode\n```\n", FRONT, "fence is not supported"),
        ("Un `código`\n", FRONT, "code_inline is not supported"),
        ("Texto\n", FRONT.replace("size", "sice"), "unknown key 'sice'"),
        ("Texto\n", FRONT.replace("language: es\n", ""), "language"),
    ],
)
def test_a_faulty_source_is_named_with_its_fault(tmp_path: Path, markdown: str, front: str, message: str) -> None:
    with pytest.raises(SourceError, match=f"^nota.md: .*{message}"):
        read_source(read(tmp_path, markdown, front))


def test_a_table_fills_the_width_and_refuses_what_cannot_fit() -> None:
    table = Table(("left", "right"), ((Run("Producto"),), (Run("Precio"),)), (((Run("Pan"),), (Run("1 €"),)),))
    grid = make_grid(table, BODY, BODY, 300)
    assert sum(grid.widths) == pytest.approx(300)
    with pytest.raises(ValueError, match="too wide"):
        make_grid(table, BODY, BODY, 60)


def test_a_long_table_repeats_its_header_on_the_next_page(tmp_path: Path) -> None:
    rows = "".join(f"| PAN-{number:03} | {number} |\n" for number in range(60))
    source = read_source(read(tmp_path, f"# Nota\n\n| Código | Peso |\n|:--|--:|\n{rows}"))
    with pymupdf.open(stream=render_pdf(source)) as document:
        pages = [page.get_text() for page in document]
    assert len(pages) == 2
    assert all(page.count("Código") == 1 for page in pages)
    assert sum(page.count("PAN-") for page in pages) == 60


def test_a_heading_stays_with_its_text_and_the_contents_name_its_page(tmp_path: Path) -> None:
    filler = "Una línea de relleno que basta para llenar la página de esta prueba.\n\n" * 28
    source = read_source(read(tmp_path, f"# Nota\n\n<!-- contents -->\n\n{filler}## Plazos\n\nTreinta días.\n"))
    with pymupdf.open(stream=render_pdf(source)) as document:
        pages = [page.get_text() for page in document]
    holding = next(number for number, page in enumerate(pages, start=1) if "Treinta días." in page)
    assert "Plazos\nTreinta días." in pages[holding - 1]
    assert pages[0].split("Plazos ")[1].split("\n")[1] == str(holding)
