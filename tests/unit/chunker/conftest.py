"""Documents and token counters of the chunker's tests."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import pytest

from skillnet_common.documents import Block, BlockKind, Box, Line, ParsedDocument, Section

Part = tuple[int, str, Sequence[tuple[BlockKind, str]]]
"""A section: level, heading ("" for none) and its blocks."""


class WordCounter:
    """A token for every four characters of a word, and two special ones: additive over words."""

    def __init__(self) -> None:
        self.calls = 0

    def count(self, final_text: str) -> int:
        self.calls += 1
        return 2 + sum(-(-len(word) // 4) for word in final_text.split())


class ByteCounter:
    """A token for every three bytes, rounded down: the sum over pieces is below the whole."""

    def count(self, final_text: str) -> int:
        return 2 + len(final_text.encode()) // 3


class DocumentBuilder:
    """Builds a `ParsedDocument` the way the parser does."""

    def __init__(self, lines_per_page: int | None) -> None:
        self.text = ""
        self.blocks: list[Block] = []
        self.sections = [Section(0, "root", None, 0, "", (), 0, 0, None, None)]
        self.lines: list[Line] = []
        self._lines_per_page = lines_per_page
        self._paths: Counter[tuple[str, ...]] = Counter()

    def build(self, parts: Sequence[Part]) -> ParsedDocument:
        for level, heading, blocks in parts:
            if heading:
                self._open_section(level, heading)
                self._add(BlockKind.HEADING, heading)
            for kind, text in blocks:
                self._add(kind, text)
        pages = max((line.box.page for line in self.lines), default=1)
        return ParsedDocument(
            text=self.text,
            lines=tuple(self.lines),
            blocks=tuple(self.blocks),
            sections=tuple(self.sections),
            file_type="pdf" if self.lines else "md",
            page_count=pages,
            page_count_estimated=not self.lines,
            language="es",
        )

    def _open_section(self, level: int, heading: str) -> None:
        parent = self.sections[-1]
        while parent.level >= level and parent.parent is not None:
            parent = self.sections[parent.parent]
        path = (*parent.path, heading)
        self._paths[path] += 1
        identity = hashlib.sha256(repr((path, self._paths[path])).encode()).hexdigest()[:16]
        index = len(self.sections)
        self.sections.append(Section(index, identity, parent.index, level, heading, path, 0, 0, None, None))

    def _add(self, kind: BlockKind, text: str) -> None:
        if self.text:
            self.text += "\n\n"
        start = len(self.text)
        self.text += text
        self.blocks.append(Block(kind, start, len(self.text), len(self.sections) - 1))
        if self._lines_per_page:
            self._print_lines(start, text, self._lines_per_page)

    def _print_lines(self, start: int, text: str, lines_per_page: int) -> None:
        for line in text.split("\n"):
            if line.strip():
                page, row = divmod(len(self.lines), lines_per_page)
                top = row / lines_per_page
                box = Box(page + 1, 0.1, top, 0.9, top + 1 / lines_per_page)
                self.lines.append(Line(start, start + len(line), box))
            start += len(line) + 1


class Documents:
    """Makes documents from parts."""

    def __call__(self, parts: Sequence[Part], lines_per_page: int | None = None) -> ParsedDocument:
        return DocumentBuilder(lines_per_page).build(parts)


@pytest.fixture(scope="session")
def document() -> Documents:
    return Documents()


@pytest.fixture(scope="session")
def words() -> WordCounter:
    return WordCounter()


@pytest.fixture(scope="session", params=[WordCounter, ByteCounter])
def counter(request: pytest.FixtureRequest) -> WordCounter | ByteCounter:
    made: WordCounter | ByteCounter = request.param()
    return made
