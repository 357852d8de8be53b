"""Reads a source: front matter (`key: value` lines between `---`) and Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from typesetting.blocks import (
    Block,
    Directive,
    Heading,
    ListItem,
    Note,
    Paragraph,
    Run,
    Runs,
    Table,
)

DIRECTIVES = {"contents", "page-break", "columns", "column-break"}


class SourceError(ValueError):
    """A source that cannot be set; the message names the file."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a document looks. Sizes are in points; header and footer hold `left | right` and may contain
    `{page}` and `{pages}`."""

    family: str = "sans"
    size: float = 11.0
    table_size: float = 9.5
    justify: bool = False
    cover: bool = False
    bookmarks: bool = False
    margin: float = 71.0
    header: str = ""
    footer: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A document to be set. `file` is the name of the finished file; `language` is ISO 639-1."""

    file: str
    title: str
    language: str
    style: Style
    blocks: tuple[Block, ...]


def has_front_matter(path: Path) -> bool:
    """Whether the file is set by this package; one without front matter is a finished document."""
    return path.suffix == ".md" and path.read_text(encoding="utf-8").startswith("---\n")


def read_source(path: Path) -> Source:
    """Raises SourceError where a key is missing or unknown, or the Markdown holds something not supported."""
    try:
        front, body = _split_front_matter(path.read_text(encoding="utf-8"))
        settings = _read_settings(front)
        return Source(
            file=settings.pop("file"),
            title=settings.pop("title"),
            language=settings.pop("language"),
            style=_read_style(settings),
            blocks=tuple(_read_blocks(body)),
        )
    except (KeyError, ValueError) as error:
        raise SourceError(f"{path.name}: {error}") from error


def _split_front_matter(text: str) -> tuple[str, str]:
    _, front, body = text.split("---\n", 2)
    return front, body


def _read_settings(front: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for line in front.splitlines():
        key, _, value = line.partition(":")
        settings[key.strip()] = value.strip()
    return settings


def _read_style(settings: dict[str, str]) -> Style:
    defaults = Style()
    values: dict[str, object] = {}
    for key, value in settings.items():
        if key not in Style.__slots__:
            raise ValueError(f"unknown key {key!r} in the front matter")
        kind = type(getattr(defaults, key))
        values[key] = value == "yes" if kind is bool else kind(value)
    return Style(**values)  # type: ignore[arg-type]  # each value was made with its default's type


def _read_blocks(markdown: str) -> Iterator[Block]:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    lists: list[_OpenList] = []
    in_quote = False
    position = 0
    while position < len(tokens):
        token = tokens[position]
        match token.type:
            case "heading_open":
                yield Heading(int(token.tag[1]), _text(tokens[position + 1]))
            case "bullet_list_open" | "ordered_list_open":
                lists.append(_OpenList(ordered=token.type.startswith("ordered")))
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "blockquote_open" | "blockquote_close":
                in_quote = token.type == "blockquote_open"
            case "paragraph_open":
                runs = _runs(tokens[position + 1])
                if lists:
                    yield lists[-1].item(runs, depth=len(lists) - 1)
                else:
                    yield Note(runs) if in_quote else Paragraph(runs)
            case "table_open":
                end = next(i for i in range(position, len(tokens)) if tokens[i].type == "table_close")
                yield _read_table(tokens[position:end])
                position = end
            case "html_block":
                yield _read_directive(token.content)
            case "fence" | "code_block" | "hr":
                raise ValueError(f"{token.type} is not supported")
        position += 1


@dataclass(slots=True)
class _OpenList:
    ordered: bool
    count: int = 0

    def item(self, runs: Runs, *, depth: int) -> ListItem:
        self.count += 1
        return ListItem(runs, self.count if self.ordered else None, depth, first=self.count == 1)


def _read_directive(html: str) -> Directive:
    name = html.strip().removeprefix("<!--").removesuffix("-->").strip()
    if name not in DIRECTIVES:
        raise ValueError(f"unknown directive {name!r}")
    return Directive(name)


def _read_table(tokens: list[Token]) -> Table:
    rows: list[list[Runs]] = []
    alignments: list[str] = []
    for position, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(_runs(tokens[position + 1]))
        if token.type == "th_open":
            alignments.append(str(token.attrs.get("style", "text-align:left")).removeprefix("text-align:"))
    return Table(tuple(alignments), tuple(rows[0]), tuple(tuple(row) for row in rows[1:]))


def _runs(inline: Token) -> Runs:
    runs: list[Run] = []
    bold = italic = False
    for token in inline.children or ():
        match token.type:
            case "strong_open" | "strong_close":
                bold = token.type == "strong_open"
            case "em_open" | "em_close":
                italic = token.type == "em_open"
            case "softbreak":
                runs.append(Run(" ", bold, italic))
            case "text":
                if token.content:
                    runs.append(Run(token.content, bold, italic))
            case _:
                raise ValueError(f"{token.type} is not supported in {inline.content[:60]!r}")
    return tuple(runs)


def _text(inline: Token) -> str:
    return "".join(run.text for run in _runs(inline))
