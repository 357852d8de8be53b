"""What a source document is made of, whatever it becomes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style."""

    text: str
    bold: bool = False
    italic: bool = False


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the document's title."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    runs: Runs


@dataclass(frozen=True, slots=True)
class Note:
    """A quoted paragraph: set apart with a rule at its left."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class ListItem:
    """`number` is None for a bullet; `depth` counts from 0; `first` opens a new list."""

    runs: Runs
    number: int | None
    depth: int
    first: bool


@dataclass(frozen=True, slots=True)
class Table:
    """`alignments` holds "left", "right" or "center", one a column; every row has as many cells."""

    alignments: tuple[str, ...]
    header: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]


@dataclass(frozen=True, slots=True)
class Directive:
    """A layout order written as an HTML comment: contents, page-break, columns or column-break."""

    name: str


Block = Heading | Paragraph | Note | ListItem | Table | Directive


def plain_text(runs: Runs) -> str:
    """The text of the runs without their styles."""
    return "".join(run.text for run in runs)
