"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from skillnet_common.contracts.answers import AskReply
from skillnet_common.contracts.retrieval import ContextReply, Passage, Rung, SearchReply, Source

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]

_PIPED_WIDTH = 400
_PAIR = 2
_NBSP = "\u00a0"
_GROUNDS = {
    Rung.CHUNKS: "passages of the documents",
    Rung.DOCUMENT: "a whole document",
    Rung.GENERAL: "general knowledge, not the documents",
    Rung.NONE: "nothing",
}


def _width() -> int | None:
    """A terminal's own width; a pipe has none, and its lines must not be broken."""
    return None if sys.stdout.isatty() else _PIPED_WIDTH


console = Console(highlight=False, width=_width())
"""Standard output. Rich leaves out colours where it is no terminal."""

progress_console = Console(stderr=True, highlight=False)
"""Progress goes to standard error, so that output can be piped."""


def counted(number: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")


def print_json_line(value: Any) -> None:
    """One JSON document on one line, at once."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def plain(value: Any) -> Any:
    """Models and their containers as plain JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table; cells are text as it stands, never markup. Where it is too wide for the terminal, and has more than
    two columns, each row is a block of its own with a line a column: broken words say nothing."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if len(columns) > _PAIR and _natural_width(columns, texts) > console.width:
        _print_blocks(columns, texts)
        return
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(columns))
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column == "Id")
    for row in texts:
        table.add_row(*map(escape, row))
    console.print(table)


def _natural_width(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    widest = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    return sum(widest) + 2 * (len(columns) - 1)


def _print_blocks(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            console.print()
        print_table(("", ""), [(column, cell) for column, cell in zip(columns, row, strict=True) if cell])


def escape(text: str) -> str:
    """Text that Rich prints as it stands."""
    return text.replace("[", r"\[")


def place(source: Passage | Source) -> str:
    """`Manual > Devoluciones, pág. 3` of a passage or source, with `(OCR)` where recognition read it."""
    path = source.section_path
    headed_by_title = bool(path) and path[0].casefold() == source.document_title.casefold()
    where = " > ".join([source.document_title, *(path[1:] if headed_by_title else path)])
    if source.page_start is None:
        return where
    first, last = source.page_start, source.page_end or source.page_start
    pages = f"pág.{_NBSP}{first}" if first == last else f"págs.{_NBSP}{first}-{last}"
    return f"{where}, {pages}{' (OCR)' if source.ocr else ''}"


def ground_in_words(rung: Rung) -> str:
    """On what an answer stands, as a person says it."""
    return _GROUNDS[rung]


def print_reading(reply: SearchReply | ContextReply | AskReply) -> None:
    """What the question was taken to be, where the conversation completed it or a word was misspelt."""
    if reply.read_as is not None:
        console.print(f"[dim]read as: {escape(reply.read_as)}[/]")
    if not isinstance(reply, AskReply):
        for correction in reply.corrections:
            console.print(f"[dim]{escape(correction.typed)} read as: {escape(', '.join(correction.read_as))}[/]")
