"""The figures beside what they should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """A figure by its path in the report, and the bound it is held to."""

    name: str
    path: tuple[str, ...]
    bound: float
    at_most: bool = False

    def is_met(self, value: float) -> bool:
        """Whether the value keeps to the bound."""
        return value <= self.bound if self.at_most else value >= self.bound


TARGETS = (
    Target("headings, PDF without bookmarks, F1", ("headings_f1", "pdf"), 0.75),
    Target("headings, legal PDF, F1", ("headings_f1", "pdf_legal"), 0.92),
    Target("headings, PDF with bookmarks, F1", ("headings_f1", "pdf_bookmarks"), 0.98),
    Target("headings, Markdown set as PDF, F1", ("headings_f1", "pdf_rendered"), 0.90),
    Target("headings, DOCX, F1", ("headings_f1", "docx"), 0.97),
    Target("levels, DOCX", ("heading_levels", "docx"), 0.99),
    Target("text kept, PDF, median", ("text_kept", "pdf", "median"), 0.998),
    Target("text kept, PDF, 5th percentile", ("text_kept", "pdf", "p5"), 0.97),
    Target("text kept, DOCX, median", ("text_kept", "docx", "median"), 0.998),
    Target("text kept, DOCX, 5th percentile", ("text_kept", "docx", "p5"), 0.99),
    Target("columns, Kendall's tau", ("reading_order", "tau"), 0.99),
    Target("columns, neighbours kept", ("reading_order", "adjacent"), 0.95),
    Target("pages/s against a bare loop, plain pages", ("pages_per_s_ratio", "plain"), 0.4),
    Target("pages/s against a bare loop, pages with rules", ("pages_per_s_ratio", "tables"), 0.02),
    Target("peak memory of 600 pages, MiB", ("peak_mb",), 200, at_most=True),
    Target("outlines of one document in two forms alike", ("same_outline",), 0.98),
    Target("crashes", ("crashes",), 0, at_most=True),
    Target("hangs", ("hangs",), 0, at_most=True),
    Target("failures without a name", ("unnamed_failures",), 0, at_most=True),
)


def print_table(figures: Mapping[str, Any], write: Callable[[str], object]) -> None:
    """One line a target whose figure was measured."""
    for target in TARGETS:
        value = _find(figures, target.path)
        if value is not None:
            sign = "<=" if target.at_most else ">="
            verdict = "met" if target.is_met(value) else "MISSED"
            write(f"{target.name:<50} {value:>8.3f}  {sign} {target.bound:<6g} {verdict}\n")


def _find(figures: Mapping[str, Any], path: tuple[str, ...]) -> float | None:
    value: Any = figures
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return None if value is None else float(value)
