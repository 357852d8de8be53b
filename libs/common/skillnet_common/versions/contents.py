"""What a version consists of as read: written by the parser, read by the chunker."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from uuid import UUID

from skillnet_common.database.pool import Connection
from skillnet_common.database.queries import Queries
from skillnet_common.documents.codec import blocks_from_json, blocks_to_json, lines_from_json, lines_to_json
from skillnet_common.documents.digests import section_digests
from skillnet_common.documents.parsed import ParsedDocument, Removal, RemovalReason, Section
from skillnet_common.pipeline import reading_fingerprint

_SQL = Queries(__package__, "contents.sql")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


async def save_parsed(
    connection: Connection, org_id: UUID, document_id: UUID, version: int, parsed: ParsedDocument
) -> None:
    """Writes text, layout and sections, and puts the version into state `parsed`."""
    removed = _pack_removed(parsed.removed)
    await connection.execute(
        _SQL.insert_text, org_id, document_id, version, parsed.text, _pack_layout(parsed), removed
    )
    await connection.execute(_SQL.insert_sections, org_id, document_id, version, _section_records(parsed))
    await connection.execute(
        _SQL.mark_parsed,
        org_id,
        document_id,
        version,
        parsed.file_type,
        parsed.language,
        parsed.page_count,
        parsed.page_count_estimated,
        list(parsed.page_labels),
        list(parsed.warnings),
        parsed.title,
        reading_fingerprint(),
    )


async def load_parsed(connection: Connection, org_id: UUID, document_id: UUID, version: int) -> ParsedDocument | None:
    """The document as the parser wrote it; None where the version is gone."""
    row = await connection.fetchrow(_SQL.load_text, org_id, document_id, version)
    if row is None:
        return None
    layout = json.loads(zlib.decompress(row["layout"]))
    sections = await connection.fetch(_SQL.load_sections, org_id, document_id, version)
    return ParsedDocument(
        text=row["text"],
        lines=lines_from_json(layout["lines"]),
        blocks=blocks_from_json(layout["blocks"]),
        sections=tuple(
            Section(
                index=section["section_index"],
                section_id=section["section_id"],
                parent=section["parent_index"],
                level=section["level"],
                heading=section["heading"],
                path=tuple(section["path"]),
                start=section["char_start"],
                end=section["char_end"],
                page_start=section["page_start"],
                page_end=section["page_end"],
            )
            for section in sections
        ),
        file_type=row["file_type"],
        page_count=row["page_count"],
        page_count_estimated=row["page_count_estimated"],
        language=row["language"],
        page_labels=tuple(row["page_labels"]),
        warnings=tuple(row["warnings"]),
        ocr_pages=tuple(layout.get("ocr_pages", ())),  # texts read before recognition was told have none
        removed=tuple(Removal(RemovalReason(reason), page, text) for reason, page, text in row["removed"]),
    )


async def copy_parsed(
    connection: Connection, org_id: UUID, document_id: UUID, source: int, version: int
) -> int | None:
    """Gives a new version what the version `source` was read into, and puts it into state `parsed`.

    Returns the characters of the text; None, and nothing is done, where it was never read or cleaned up since.
    """
    length: int | None = await connection.fetchval(_SQL.copy_text, org_id, document_id, source, version)
    if length is not None:
        await connection.execute(_SQL.copy_sections, org_id, document_id, source, version)
        await connection.execute(_SQL.mark_copied, org_id, document_id, source, version)
    return length


async def save_unindexed(
    connection: Connection, org_id: UUID, document_id: UUID, version: int, spans: Sequence[tuple[str, int, int]]
) -> None:
    """Keeps (reason, start, end) of the parts of the text that are in no chunk."""
    await connection.execute(_SQL.save_unindexed, org_id, document_id, version, [list(span) for span in spans])


def _pack_removed(removed: Sequence[Removal]) -> list[list[str | int | None]]:
    """What was left out may be what PostgreSQL refuses: NUL and lone surrogates become U+FFFD."""
    return [[one.reason.value, one.page, _UNSTORABLE.sub("\ufffd", one.text)] for one in removed]


def _pack_layout(parsed: ParsedDocument) -> bytes:
    layout = {
        "lines": lines_to_json(parsed.lines),
        "blocks": blocks_to_json(parsed.blocks),
        "ocr_pages": parsed.ocr_pages,
    }
    return zlib.compress(json.dumps(layout, separators=(",", ":")).encode())


def _section_records(parsed: ParsedDocument) -> list[dict[str, object]]:
    digests = section_digests(parsed)
    return [
        {
            "section_index": section.index,
            "section_id": section.section_id,
            "parent_index": section.parent,
            "level": section.level,
            "heading": section.heading,
            "path": list(section.path),
            "char_start": section.start,
            "char_end": section.end,
            "page_start": section.page_start,
            "page_end": section.page_end,
            "digest": digest.hex(),
        }
        for section, digest in zip(parsed.sections, digests, strict=True)
    ]
