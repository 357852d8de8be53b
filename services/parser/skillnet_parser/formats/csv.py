"""Separated values to drafts of blocks: one table, its first row the header."""

from __future__ import annotations

import re
from pathlib import Path

from skillnet_parser.domain.draft import DraftDocument
from skillnet_parser.domain.grids import read_grid
from skillnet_parser.domain.separated import find_delimiter, read_rows
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.formats.text_encoding import decode_text

_EXCEL_HINT = re.compile(r"sep=([;,|:^~\t])\r?\n", re.IGNORECASE)


def read_csv(path: Path) -> DraftDocument:
    """The table of a CSV or TSV file, whatever its delimiter; a first line `sep=;`, which Excel writes, names it.

    Raises what `decode_text` raises.
    """
    decoded = decode_text(path.read_bytes())
    source = decoded.text
    hint = _EXCEL_HINT.match(source)
    if hint is not None:
        rows = read_rows(source[hint.end() :], hint[1])
    else:
        rows = read_rows(source, find_delimiter(source) or ",")
    return DraftDocument(tuple(read_grid(rows)), FileType.CSV, warnings=decoded.warnings)
