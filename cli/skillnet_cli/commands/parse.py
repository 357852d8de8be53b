"""`skillnet parse`: how a document is read, without any server."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.inspecting.page import render_page
from skillnet_cli.inspecting.readers import Cut, cut_chunks, read_document, read_pages
from skillnet_cli.inspecting.statistics import statistics_of
from skillnet_cli.output import AsJson, console, escape, print_json, progress_console
from skillnet_common.documents import Chunk, ParsedDocument
from skillnet_common.errors import ErrorCode, SkillnetError

_PAGED = "pdf"
_SHOWN = 100  # characters of a chunk on the terminal


@reports_errors
def parse(
    file: Annotated[Path, typer.Argument(help="The document to read.")],
    with_chunks: Annotated[bool, typer.Option("--chunks", help="Cut it into chunks too.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one page that shows the original beside what was read.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the outline, warnings and figures of a document as the parser reads it. No server is needed."""
    if html is not None:
        _require_page_path(html, file)
    document = read_document(file)
    cut = cut_chunks(document, document.title or file.stem) if with_chunks else None
    chunks = cut.chunks if cut else None
    if html is not None:
        pages = read_pages(file) if document.file_type == _PAGED else []
        html.write_text(render_page(file.name, document, pages, chunks), encoding="utf-8")
        progress_console.print(f"Written: {escape(str(html))}", soft_wrap=True)
    if as_json:
        _print_json(document, cut)
    else:
        _print_text(document, chunks)


def _require_page_path(html: Path, file: Path) -> None:
    """Raises SkillnetError `invalid_request` where no page can be written, or the document would be lost by it."""
    if not html.parent.is_dir():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"--html: there is no folder {html.parent}.")
    if html.is_dir():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"--html: {html} is a folder.")
    if html.exists() and file.exists() and html.samefile(file):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"--html: {html} is the document itself.")


def _print_json(document: ParsedDocument, cut: Cut | None) -> None:
    """Offsets count characters of `text`."""
    found: dict[str, object] = {
        "title": document.title,
        "statistics": statistics_of(document, cut.chunks if cut else None),
        "warnings": document.warnings,
        "outline": [dataclasses.asdict(section) for section in document.sections[1:]],
        "blocks": [dataclasses.asdict(block) for block in document.blocks],
        "lines": [dataclasses.asdict(line) for line in document.lines],
        "removed": [dataclasses.asdict(removal) for removal in document.removed],
        "page_labels": document.page_labels,
        "ocr_pages": document.ocr_pages,
        "text": document.text,
    }
    if cut is not None:
        found["chunks"] = [dataclasses.asdict(chunk) for chunk in cut.chunks]
        found["unindexed"] = cut.unindexed
    print_json(found)


def _print_text(document: ParsedDocument, chunks: Sequence[Chunk] | None) -> None:
    console.print(escape(document.title or "(no title)"), style="bold")
    for section in document.sections[1:]:
        page = "" if section.page_start is None else f"  p. {section.page_start}"
        console.print(f"{'  ' * section.level}{escape(section.heading)}[dim]{page}[/dim]")
    for warning in document.warnings:
        console.print(f"[yellow]{escape(warning)}[/yellow]")
    for name, figure in statistics_of(document, chunks).items():
        shown = json.dumps(figure) if isinstance(figure, dict) else figure
        console.print(f"{name.replace('_', ' ')}: {escape(str(shown))}")
    for chunk in chunks or ():
        body = " ".join(chunk.body.split())[:_SHOWN]
        mark = "(OCR) " if chunk.ocr else ""
        console.print(f"{chunk.index:>5} {chunk.token_count:>4} tokens  {mark}{escape(body)}")
