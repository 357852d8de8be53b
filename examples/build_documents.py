"""Builds examples/documents from examples/source.

Run `python examples/build_documents.py [FOLDER]`. A Markdown source with front matter is set as the
PDF or DOCX that its `file` names; every other source is a finished document and is copied. The same sources
give the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from typesetting.pdf import render_pdf
from typesetting.source import has_front_matter, read_source
from typesetting.word import render_docx

HERE = Path(__file__).parent
RENDERERS = {".pdf": render_pdf, ".docx": render_docx}


def build(source: Path, folder: Path) -> Path:
    """Writes one finished document and returns its path. Raises SourceError where the source is faulty."""
    if has_front_matter(source):
        parsed = read_source(source)
        target = folder / parsed.file
        target.write_bytes(RENDERERS[target.suffix](parsed))
    else:
        target = folder / source.name
        target.write_bytes(source.read_bytes())
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE / "documents")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((HERE / "source").iterdir()):
        target = build(source, folder)
        print(f"{target.name}  {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
