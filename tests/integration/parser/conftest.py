"""Small documents made by script, and the parser that reads them in this process."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import docx
import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument
from skillnet_parser.domain.language import with_language
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

A4 = (595.0, 842.0)
LEFT, TOP, WIDTH = 72.0, 90.0, 450.0
REGULAR, BOLD, ITALIC, MONO = "helv", "hebo", "heit", "cour"

Parse = Callable[..., ParsedDocument]


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    """Parses bytes under a file name. What it returns has passed `check_invariants`."""

    def run(data: bytes, name: str, limits: ParseLimits | None = None) -> ParsedDocument:
        path = tmp_path / "original"
        path.write_bytes(data)
        document = parse_path(path, name, limits or ParseLimits(), lambda _done, _total: None)
        return with_language(document)

    return run


class Sheet:
    """A PDF being set: text flows down the page at a chosen measure."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=A4[0], height=A4[1])
        self.y = TOP

    def turn(self) -> None:
        """Begins a new page."""
        self.page = self.document.new_page(width=A4[0], height=A4[1])
        self.y = TOP

    def line(
        self,
        text: str,
        *,
        size: float = 11,
        font: str = REGULAR,
        x: float = LEFT,
        gap: float = 0,
        colour: tuple[float, float, float] = (0, 0, 0),
    ) -> None:
        """One printed line, `gap` points below where it would stand."""
        self.y += gap
        self.page.insert_text((x, self.y), text, fontsize=size, fontname=font, color=colour)
        self.y += 1.3 * size

    def centred(self, text: str, *, size: float = 11, font: str = REGULAR, gap: float = 0) -> None:
        width = pymupdf.get_text_length(text, font, size)
        self.line(text, size=size, font=font, x=LEFT + (WIDTH - width) / 2, gap=gap)

    def prose(
        self,
        text: str,
        *,
        size: float = 11,
        font: str = REGULAR,
        x: float = LEFT,
        width: float = WIDTH,
        gap: float = 8,
        hanging: float = 0,
    ) -> None:
        """A paragraph broken into lines as a typesetter would; the lines after the first stand `hanging`
        points further in."""
        self.y += gap
        indent = 0.0
        words, line = text.split(), ""
        for word in words:
            longer = f"{line} {word}".strip()
            if line and pymupdf.get_text_length(longer, font, size) > width - indent:
                self.line(line, size=size, font=font, x=x + indent)
                line, indent = word, hanging
            else:
                line = longer
        self.line(line, size=size, font=font, x=x + indent)

    def heading(self, text: str, *, size: float = 16, font: str = BOLD) -> None:
        self.line(text, size=size, font=font, gap=14)

    def header(self, text: str, *, y: float = 40, x: float = LEFT, size: float = 9) -> None:
        """A line of the margin, which does not move the text."""
        self.page.insert_text((x, y), text, fontsize=size, fontname=REGULAR)

    def data(self, **options: object) -> bytes:
        data: bytes = self.document.tobytes(**options)
        return data


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


LOREM = (
    "La persona encargada revisa cada mañana la lista de pedidos y comprueba que las cantidades coinciden con "
    "el albarán del obrador antes de abrir la tienda al público."
)


@pytest.fixture
def lorem() -> str:
    """Prose of about two lines."""
    return LOREM


def docx_bytes(document: docx.document.Document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def to_bytes() -> Callable[[docx.document.Document], bytes]:
    return docx_bytes


@pytest.fixture
def headings() -> Callable[[ParsedDocument], list[tuple[int, str]]]:
    """The outline of a document as levels and headings."""
    return lambda document: [(section.level, section.heading) for section in document.sections[1:]]


@pytest.fixture
def blocks_of() -> Callable[[ParsedDocument, BlockKind], list[str]]:
    """The texts of a document's blocks of one kind."""

    def read(document: ParsedDocument, kind: BlockKind) -> list[str]:
        return [document.text[block.start : block.end] for block in document.blocks if block.kind is kind]

    return read
