"""`python -m skillnet_parsing_evaluation`: reads the shared documents and prints how well."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

import pymupdf

from skillnet_parsing_evaluation import corpus
from skillnet_parsing_evaluation.columns import make_column_pages, score_order
from skillnet_parsing_evaluation.headings import measure_headings
from skillnet_parsing_evaluation.kept import plain_pdf_text, plain_word_text, text_kept
from skillnet_parsing_evaluation.readings import Reading, read_files, summarise
from skillnet_parsing_evaluation.speed import measure_peak, measure_speed
from skillnet_parsing_evaluation.targets import print_table

_PARTS = ("outcomes", "kept", "headings", "order", "speed", "memory")
_COLUMN_PAGES = 40
_SEED = 11


def main() -> None:
    """Entry point of `make eval-parsing`."""
    arguments = _read_arguments()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with tempfile.TemporaryDirectory() as folder:
        figures = _measure(arguments.only or _PARTS, corpus.shared_data(), Path(folder), jobs=arguments.jobs)
    if arguments.json:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    else:
        print_table(figures, sys.stdout.write)
        sys.stdout.write(f"{figures.get('outcomes', '')}\n")


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--only", action="append", choices=_PARTS, help="this part alone; may be repeated")
    parser.add_argument("--jobs", type=int, default=2, help="files read at a time")
    return parser.parse_args()


def _measure(parts: Sequence[str], data: Path, folder: Path, *, jobs: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    files: dict[str, Any] = {}
    if "outcomes" in parts:
        readings = read_files(corpus.all_files(data), jobs=jobs, what="outcomes")
        figures |= summarise(readings)
        files["failed"] = {reading.path.name: reading.code for reading in readings if reading.code}
    if "kept" in parts:
        figures["text_kept"], files["text_kept"] = _measure_kept(data, jobs=jobs)
    if "headings" in parts:
        headings = measure_headings(data, folder, jobs=jobs)
        figures |= {
            "headings_f1": headings.f1,
            "heading_levels": headings.levels,
            "same_outline": headings.same_outline,
        }
        files["headings"] = headings.files
    if "order" in parts:
        figures["reading_order"] = _measure_order(folder, jobs=jobs)
    if "speed" in parts:
        sys.stderr.write("timing pages\n")
        figures["pages_per_s_ratio"] = measure_speed(corpus.pdf_files(data))
    if "memory" in parts:
        figures["peak_mb"] = measure_peak(folder)
    return {**figures, "by_file": files}


def _measure_kept(data: Path, *, jobs: int) -> tuple[dict[str, dict[str, float]], dict[str, list[list[object]]]]:
    kinds: tuple[tuple[str, list[Path], Callable[[Path], str | None]], ...] = (
        ("pdf", corpus.pdf_files(data), plain_pdf_text),
        ("docx", corpus.word_files(data), plain_word_text),
    )
    figures: dict[str, dict[str, float]] = {}
    worst: dict[str, list[list[object]]] = {}
    for kind, paths, extract in kinds:
        readings = read_files(paths, jobs=jobs, what=f"text kept, {kind}")
        shares = [(share, reading) for reading in readings if (share := _share(reading, extract)) is not None]
        values = [share for share, _ in shares]
        figures[kind] = {"median": round(median(values), 4), "p5": round(quantiles(values, n=20)[0], 4)}
        shares.sort(key=lambda pair: pair[0])
        worst[kind] = [[reading.path.name, round(share, 4)] for share, reading in shares[:12]]
    return figures, worst


def _share(reading: Reading, extract: Callable[[Path], str | None]) -> float | None:
    plain = extract(reading.path) if reading.document is not None else None
    return text_kept(reading.document, plain) if reading.document is not None and plain is not None else None


def _measure_order(folder: Path, *, jobs: int) -> dict[str, float]:
    made = list(make_column_pages(folder, count=_COLUMN_PAGES, seed=_SEED))
    readings = read_files([page.path for page in made], jobs=jobs, what="columns")
    scores = [
        score_order(reading.document.text if reading.document else "", page.sentences)
        for page, reading in zip(made, readings, strict=True)
    ]
    return {
        "tau": round(fmean(one.tau for one in scores), 4),
        "adjacent": round(fmean(one.adjacent for one in scores), 4),
    }


if __name__ == "__main__":
    main()
