"""Headings against true outlines: PDFs without and with bookmarks, laws, Markdown set as PDF and DOCX."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from skillnet_parsing_evaluation import corpus
from skillnet_parsing_evaluation.kept import plain_pdf_text
from skillnet_parsing_evaluation.laws import set_laws
from skillnet_parsing_evaluation.outlines import Entry, OutlineScore, fold, outline_of, score
from skillnet_parsing_evaluation.readings import read_files
from skillnet_parsing_evaluation.rendering import manner_of, markdown_to_docx, markdown_to_pdf
from skillnet_parsing_evaluation.truths import (
    Truth,
    bookmarked,
    gold,
    markdown_outline,
    plain,
    strip_bookmarks,
    without_front_matter,
)

_STANDARD = "text/OWASP+ASVS/4.0/es"
_SPANISH = (
    "github+opensource.guide",
    "DjangoGirls+tutorial",
    "swcarpentry",
    "alonsoarias",
    "vitejs",
    "reactjs",
    "OWASP+Top10",
    "normativa",
)
_LAWS = ("legalize-dev+legalize-uy", "legalize-dev+legalize-ar")
_PER_COLLECTION = 5
_MIN_HEADINGS = 4
_LAWS_SET = 24
_MIN_CHARS, _MAX_CHARS = 1_500, 120_000


@dataclass(frozen=True, slots=True)
class HeadingFigures:
    """Means of F1 and of level agreement by kind, the share of the standard's forms that agree, and every
    file's own score."""

    f1: dict[str, float]
    levels: dict[str, float]
    same_outline: float
    files: dict[str, list[dict[str, object]]]


def measure_headings(data: Path, folder: Path, *, jobs: int) -> HeadingFigures:
    """`folder` takes the files that are made."""
    groups = _collect(data, folder)
    f1: dict[str, float] = {}
    levels: dict[str, float] = {}
    files: dict[str, list[dict[str, object]]] = {}
    for kind, truths in groups.items():
        scored = _score_all(truths, jobs=jobs, what=kind)
        f1[kind] = round(fmean(one.f1 for _, one in scored), 4)
        levels[kind] = round(fmean(one.levels for _, one in scored if one.levels is not None), 4)
        files[kind] = [_record(truth, one) for truth, one in scored]
    return HeadingFigures(f1, levels, _compare_forms(data, folder, jobs=jobs), files)


def _collect(data: Path, folder: Path) -> dict[str, list[Truth]]:
    sys.stderr.write("making the files whose headings are known\n")
    marked = list(bookmarked(corpus.pdf_files(data)))
    known = {truth.path: truth for truth in gold(data, "pdf")}
    printed = [known.get(truth.path, truth) for truth in marked]
    bare = _made(folder, "stripped")
    stripped = [strip_bookmarks(truth, bare) for truth in printed]
    laws = list(set_laws(_some(data, _LAWS, _LAWS_SET), _made(folder, "laws")))
    sources = _markdown_sources(data)
    return {
        "pdf": stripped,
        "pdf_legal": [truth for truth in stripped if truth.legal] + laws,
        "pdf_bookmarks": marked,
        "pdf_rendered": _render(sources, _made(folder, "rendered"), ".pdf", _to_pdf),
        "docx": [*gold(data, "docx"), *_render(sources, _made(folder, "word"), ".docx", markdown_to_docx)],
    }


def _made(folder: Path, name: str) -> Path:
    path = folder / name
    path.mkdir()
    return path


def _some(data: Path, collections: Sequence[str], count: int) -> list[Path]:
    """So many files of each collection, spread over its names."""
    chosen: list[Path] = []
    for name in collections:
        files = [
            path for folder in sorted((data / "text").glob(f"*{name}*")) for path in sorted(folder.rglob("*.md"))
        ]
        fitting = [path for path in files if _MIN_CHARS <= path.stat().st_size <= _MAX_CHARS]
        chosen += fitting[:: max(1, len(fitting) // count)][:count]
    return chosen


def _markdown_sources(data: Path) -> list[Path]:
    paths = [truth.path for truth in gold(data, "md")] + _some(data, _SPANISH, _PER_COLLECTION)
    return [path for path in dict.fromkeys(paths) if len(_outline(path)) >= _MIN_HEADINGS]


def _outline(path: Path) -> list[Entry]:
    return markdown_outline(path.read_text(encoding="utf-8"))


def _render(sources: Sequence[Path], folder: Path, suffix: str, render: Callable[[str, Path], None]) -> list[Truth]:
    truths: list[Truth] = []
    for number, source in enumerate(sources):
        target = folder / f"{number:02}-{source.stem}{suffix}"
        render(source.read_text(encoding="utf-8"), target)
        truths.append(Truth(target, tuple(_set_entries(_outline(source), target))))
    return truths


def _set_entries(entries: Sequence[Entry], target: Path) -> list[Entry]:
    """Those that stand in the file: the typesetter drops a block here and there."""
    if target.suffix != ".pdf":
        return list(entries)
    run = fold(plain_pdf_text(target) or "")
    return [entry for entry in entries if fold(entry.title) in run]


def _to_pdf(text: str, target: Path) -> None:
    markdown_to_pdf(text, target, manner=manner_of(target.name), title=target.stem)


def _score_all(truths: Sequence[Truth], *, jobs: int, what: str) -> list[tuple[Truth, OutlineScore]]:
    readings = read_files([truth.path for truth in truths], jobs=jobs, what=what)
    return [
        (truth, score(_plainly(truth.entries), outline_of(reading.document) if reading.document else []))
        for truth, reading in zip(truths, readings, strict=True)
    ]


def _plainly(entries: Sequence[Entry]) -> list[Entry]:
    return [Entry(entry.level, plain(entry.title)) for entry in entries]


def _record(truth: Truth, one: OutlineScore) -> dict[str, object]:
    return {
        "file": truth.path.name,
        "headings": len(truth.entries),
        "precision": round(one.precision, 3),
        "recall": round(one.recall, 3),
        "f1": round(one.f1, 3),
        "levels": None if one.levels is None else round(one.levels, 3),
    }


def _compare_forms(data: Path, folder: Path, *, jobs: int) -> float:
    """The least share of headings that two of the standard's forms have in common: its Markdown, the DOCX and
    the PDF set from it."""
    made = _made(folder, "standard")
    chapters = sorted((data / _STANDARD).glob("*.md"))
    text = "\n\n".join(without_front_matter(path.read_text(encoding="utf-8")) for path in chapters)
    forms = [made / "standard.md", made / "standard.docx", made / "standard.pdf"]
    forms[0].write_text(text, encoding="utf-8")
    markdown_to_docx(text, forms[1])
    markdown_to_pdf(text, forms[2], manner=0, title="ASVS")
    readings = read_files(forms, jobs=jobs, what="forms")
    outlines = [_set_entries(outline_of(reading.document), forms[2]) for reading in readings if reading.document]
    return round(min(score(one, other).f1 for one, other in pairwise([*outlines, outlines[0]])), 4)
