"""`skillnet outline | chunks | download`: what a version of a document holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from skillnet_cli.document_options import Name, Version
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_client import SkillnetClient
from skillnet_common.contracts.contents import Chunk, Outline
from skillnet_common.errors import ErrorCode, SkillnetError

_SHOWN_CHARACTERS = 80


@reports_errors
def outline(name: Name, data: DataFolder = None, version: Version = None, as_json: AsJson = False) -> None:
    """Show the sections of a document, with their pages."""
    with find_target(data).client() as client:
        found = client.outline(find_document(client, name).document_id, version=version)
    if as_json:
        print_json(found)
    else:
        _print_outline(found)


@reports_errors
def chunks(
    name: Name,
    data: DataFolder = None,
    version: Version = None,
    chunk: Annotated[UUID | None, typer.Option(help="Only the one with this id, whatever its version.")] = None,
    text: Annotated[bool, typer.Option("--text", help="Print each one's whole text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the chunks that a document is searched by."""
    with find_target(data).client() as client:
        document_id = find_document(client, name).document_id
        found = [client.chunk(document_id, chunk)] if chunk else list(client.chunks(document_id, version=version))
    if as_json:
        print_json(found)
    elif text:
        _print_texts(found)
    else:
        print_table(
            ["#", "Pages", "Tokens", "Section", "Text"],
            [(c.chunk_index, _pages(c), c.token_count, _last(c.section_path), _begin(c.text)) for c in found],
        )


@reports_errors
def download(
    name: Name,
    data: DataFolder = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file or folder; else the file's own name, here.")
    ] = None,
    version: Version = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Download the file that was uploaded."""
    with find_target(data).client() as client:
        document_id = find_document(client, name).document_id
        target = _target(client, document_id, version, output)
        if target.exists() and not force:
            raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{target} is there already; write over it by --force.")
        client.original(document_id, target, version=version)
    if as_json:
        print_json({"document_id": str(document_id), "file": str(target), "bytes": target.stat().st_size})
    else:
        console.print(f"{escape(str(target))} ({target.stat().st_size} bytes)")


def _target(client: SkillnetClient, document_id: UUID, version: int | None, output: Path | None) -> Path:
    if output is not None and not output.is_dir():
        if not output.absolute().parent.is_dir():
            raise SkillnetError(ErrorCode.NOT_FOUND, f"There is no folder {output.absolute().parent}.")
        return output
    document = client.document(document_id)
    wanted = version or document.live_version or document.newest_version
    names = {one.version: one.file_name for one in document.versions}
    name = Path(names.get(wanted, document.external_key)).name
    return (output or Path()) / (name if name not in {"", ".", ".."} else str(document_id))


def _print_outline(found: Outline) -> None:
    for section in found.sections:
        heading = section.heading if section.level else found.title
        indent = "  " * section.level
        console.print(f"{indent}{escape(heading)}{escape(_page_range(section.page_start, section.page_end))}")
    left_out = Counter([one.reason for one in found.removed] + [one.reason for one in found.unindexed or ()])
    if left_out:
        counts = ", ".join(f"{reason} {count}" for reason, count in sorted(left_out.items()))
        console.print(f"[dim]left out: {counts} (--json tells what)[/dim]")


def _print_texts(found: list[Chunk]) -> None:
    for chunk in found:
        pages = _pages(chunk)
        where = " > ".join(chunk.section_path)
        console.print(f"[bold]#{chunk.chunk_index}[/] {escape(where)}{f' (p. {pages})' if pages else ''}")
        console.print(f"{escape(chunk.text)}\n", soft_wrap=True)


def _page_range(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f"  {first}" if last in {None, first} else f"  {first}-{last}"


def _pages(chunk: Chunk) -> str:
    return f"{_page_range(chunk.page_start, chunk.page_end).strip()}{' (OCR)' if chunk.ocr else ''}"


def _last(path: list[str]) -> str:
    return path[-1] if path else ""


def _begin(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[: _SHOWN_CHARACTERS - 1]}…"
