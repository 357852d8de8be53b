"""That text was recognised goes with it from the parser to the chunks, and to a version that is cut anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.integration.handlers.line import Line, read_in_process

from skillnet_common.documents import Box, ParsedDocument
from skillnet_common.documents import Line as PrintedLine
from skillnet_common.versions.contents import load_parsed
from skillnet_parser.handlers import ParseHandler


async def read_as_scan(path: Path, file_name: str) -> ParsedDocument:
    """Every block on a page of its own, the second of them recognised."""
    parsed = await read_in_process(path, file_name)
    lines = tuple(PrintedLine(b.start, b.end, Box(n, 0.1, 0.1, 0.9, 0.2)) for n, b in enumerate(parsed.blocks, 1))
    return replace(parsed, lines=lines, page_count=len(lines), page_count_estimated=False, ocr_pages=(2,))


async def test_the_pages_are_kept_and_chunks_of_them_marked(line: Line) -> None:
    line.parser = ParseHandler(line.database, line.originals, read_as_scan)
    long = "La regla vale para todas las tiendas de la empresa y para quien trabaja en ellas. " * 30
    upload = await line.publish("escaneado", f"{long}\n\n{long}\n\n{long}")
    async with line.database.tenant(line.org_id) as connection:
        parsed = await load_parsed(connection, line.org_id, upload.document_id, upload.version)
    assert parsed is not None
    assert parsed.ocr_pages == (2,)
    rows = await line.fetch("SELECT page_start, page_end, ocr FROM document_chunks ORDER BY chunk_index")
    assert {row["ocr"] for row in rows} == {True, False}
    assert all(row["ocr"] == (row["page_start"] <= 2 <= row["page_end"]) for row in rows)
