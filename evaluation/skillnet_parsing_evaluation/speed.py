"""Pages per second against a bare extraction of the same pages in the same run, and peak memory."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pymupdf

from skillnet_common.errors import SkillnetError
from skillnet_parser.formats.pdf_page import read_page
from skillnet_parser.formats.pdf_tables import may_hold_table
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

_PAGES_OF_LARGE = 600
_WORDS = (
    "artículo",
    "contrato",
    "plazo",
    "entrega",
    "cliente",
    "pedido",
    "registro",
    "control",
    "informe",
    "resultado",
    "calidad",
    "almacén",
)
_KIB = 1024


@dataclass(slots=True)
class _Clock:
    """Seconds spent on pages of one kind."""

    pages: int = 0
    ours: float = 0.0
    bare: float = 0.0

    @property
    def ratio(self) -> float | None:
        return round(self.bare / self.ours, 3) if self.ours else None


def measure_speed(paths: Sequence[Path]) -> dict[str, object]:
    """`plain`: pages that the table gate skips; `tables`: the others. Our pages per second divided by those
    of a bare `get_text("dict")` loop; what is done once a document is shared among its pages evenly.
    `gate_recall`: of the pages on which the finder, asked without the gate, finds a table that we would take,
    the share that the gate lets through."""
    clocks = {"plain": _Clock(), "tables": _Clock()}
    tabled = let_through = 0
    for path in paths:
        kinds = _time_file(path, clocks)
        for has_gate, has_table in kinds:
            tabled += has_table
            let_through += has_table and has_gate
    ratios: dict[str, object] = {name: clock.ratio for name, clock in clocks.items()}
    return {**ratios, "gate_recall": round(let_through / tabled, 3) if tabled else None, "tabled_pages": tabled}


def _time_file(path: Path, clocks: dict[str, _Clock]) -> list[tuple[bool, bool]]:
    try:
        started = time.perf_counter()
        parse_path(path, path.name, ParseLimits(), lambda _done, _total: None)
        whole = time.perf_counter() - started
        with pymupdf.open(path) as document:
            return _time_pages(document, whole, clocks)
    except (SkillnetError, pymupdf.FileDataError, RuntimeError, ValueError):
        return []  # a file without readable pages has no speed


def _time_pages(document: pymupdf.Document, whole: float, clocks: dict[str, _Clock]) -> list[tuple[bool, bool]]:
    times: list[tuple[bool, float, float]] = []
    kinds: list[tuple[bool, bool]] = []
    for page in document.pages():
        gate = may_hold_table(page)
        bare = _timed(partial(page.get_text, "dict"))
        ours = _timed(partial(read_page, page, page.number + 1))
        times.append((gate, ours, bare))
        kinds.append((gate, _finds_table(page)))
    shared = max(0.0, whole - sum(ours for _, ours, _ in times)) / len(times)
    for gate, ours, bare in times:
        clock = clocks["tables" if gate else "plain"]
        clock.pages += 1
        clock.ours += ours + shared
        clock.bare += bare
    return kinds


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _finds_table(page: pymupdf.Page) -> bool:
    """Whether the finder sees ruled cells of two rows and two columns with text in half of them."""
    for table in page.find_tables().tables:
        cells = [cell for row in table.extract() for cell in row]
        if (
            table.row_count >= 2
            and table.col_count >= 2
            and sum(bool(cell and cell.strip()) for cell in cells) * 2 >= len(cells)
        ):
            return True
    return False


def measure_peak(folder: Path) -> float:
    """MiB of resident memory that the child takes at most for a PDF of 600 pages."""
    path = folder / "large.pdf"
    _make_large(path)
    command = (sys.executable, "-m", "skillnet_parsing_evaluation.speed", str(path))
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own module
    return round(int(done.stdout) / _KIB, 1)


def _make_large(path: Path) -> None:
    chooser = random.Random(7)  # noqa: S311 - for the same pages every time
    with pymupdf.open() as document:
        for number in range(1, _PAGES_OF_LARGE + 1):
            page = document.new_page()
            page.insert_text((72, 80), f"Capítulo {number} Entregas", fontsize=16, fontname="hebo")
            for row in range(48):
                text = " ".join(chooser.choice(_WORDS) for _ in range(11))
                page.insert_text((72, 110 + 14 * row), text, fontsize=10, fontname="helv")
        document.save(path, deflate=True)


def _report_peak(path: Path) -> None:
    """Run as a process of its own, whose only child is the parser's."""
    import asyncio  # noqa: PLC0415 - this process is measured: it loads no more than it needs

    from skillnet_parser.sandbox import parse_file  # noqa: PLC0415 - as above

    asyncio.run(parse_file(path, path.name, ParseLimits()))
    sys.stdout.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))


if __name__ == "__main__":
    _report_peak(Path(sys.argv[1]))
