"""What a person who looks into one document asks for, without any server.

`python -m skillnet_parser.inspection parse FILE` reads the file as the service does, in a child process under
the settings' limits, and prints one JSON object: `document` (see `skillnet_common.documents.codec`), or `fault`
with `code`, `message` and `details`.

`python -m skillnet_parser.inspection pages FILE` prints a line of JSON for each page of a PDF: `page` from 1,
`width` and `height` in pixels, `png` in base64. Formats without pages have none.

`python -m skillnet_parser.inspection ocr` prints one JSON object: `wanted`, the languages that scans are to be
read in, and `found`, those of them that can be, null where scans are not read.
"""

from __future__ import annotations

import asyncio
import base64
import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from skillnet_common.documents.codec import document_to_json
from skillnet_common.errors import SkillnetError
from skillnet_parser.limits import MEBIBYTE
from skillnet_parser.sandbox import parse_file
from skillnet_parser.settings import ParserSettings

_DPI = 96
_MAX_PAGES = 200  # of images: more make a page that no browser likes
_CPU_SECONDS = 120


def main(what: str, name: str = "") -> None:
    """Writes to standard output."""
    if what == "ocr":
        sys.stdout.write(_ocr())
    elif what == "parse":
        sys.stdout.write(_parse(Path(name)))
    else:
        for line in _pages(Path(name)):
            sys.stdout.write(line + "\n")


def _ocr() -> str:
    settings = ParserSettings()
    limits = settings.limits().ocr
    return json.dumps({"wanted": settings.parse_ocr_languages, "found": limits.languages if limits else None})


def _parse(path: Path) -> str:
    limits = ParserSettings().limits()
    try:
        document = asyncio.run(parse_file(path, path.name, limits))
    except SkillnetError as fault:
        return json.dumps({"fault": {"code": fault.code, "message": fault.message, "details": fault.details}})
    return f'{{"document":{document_to_json(document)}}}'


def _pages(path: Path) -> Iterator[str]:
    """A hostile file costs this process only: it is bounded as the parser's child is."""
    memory = ParserSettings().parse_memory_mb * MEBIBYTE
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 1))
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with pymupdf.open(path, filetype="pdf") as document:
        for page in document.pages(0, min(document.page_count, _MAX_PAGES)):
            pixmap = page.get_pixmap(dpi=_DPI)
            png = base64.b64encode(pixmap.tobytes("png")).decode()
            yield json.dumps({"page": page.number + 1, "width": pixmap.width, "height": pixmap.height, "png": png})


if __name__ == "__main__":
    main(*sys.argv[1:])
