"""Outlines compared with true ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from skillnet_common.documents import ParsedDocument

_ALIKE = 0.9
_WINDOW = 12  # places by which a heading may be out of order


@dataclass(frozen=True, slots=True)
class Entry:
    """A heading of an outline; level 1 is the top."""

    level: int
    title: str


@dataclass(frozen=True, slots=True)
class OutlineScore:
    """Precision and recall of headings, and the share of those found whose depth in the tree is the true one
    (None where none is found)."""

    precision: float
    recall: float
    levels: float | None

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def outline_of(document: ParsedDocument) -> list[Entry]:
    """The document's headings in reading order."""
    return [Entry(section.level, section.heading) for section in document.sections[1:]]


def fold(text: str) -> str:
    """Letters and digits alone, in lower case, without accents: what two prints of one text share."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.isalnum())


def score(truth: Sequence[Entry], found: Sequence[Entry]) -> OutlineScore:
    """Headings match when their letters do by 90 %, each once, in order but for a few places."""
    pairs = _match([fold(entry.title) for entry in truth], [fold(entry.title) for entry in found])
    if not truth or not found:
        return OutlineScore(float(not found), float(not truth), None)
    return OutlineScore(len(pairs) / len(found), len(pairs) / len(truth), _agreement(truth, found, pairs))


def _match(truth: Sequence[str], found: Sequence[str]) -> list[tuple[int, int]]:
    taken: set[int] = set()
    pairs: list[tuple[int, int]] = []
    last = -1
    for index, title in enumerate(truth):
        near = sorted(
            (at for at in range(len(found)) if at not in taken and at >= last - _WINDOW),
            key=lambda at: abs(at - last - 1),
        )
        exact = next((at for at in near if found[at] == title), None)
        at = exact if exact is not None else next((at for at in near if _is_alike(title, found[at])), None)
        if at is not None:
            pairs.append((index, at))
            taken.add(at)
            last = max(last, at)
    return pairs


def _is_alike(title: str, found: str) -> bool:
    if not title or abs(len(title) - len(found)) > (1 - _ALIKE) * 2 * max(len(title), len(found)):
        return False
    return SequenceMatcher(None, title, found, autojunk=False).ratio() >= _ALIKE


def _agreement(truth: Sequence[Entry], found: Sequence[Entry], pairs: Sequence[tuple[int, int]]) -> float | None:
    if not pairs:
        return None
    # Depths are compared, and a shift of the whole outline is none: a title above all others is no fault.
    true_depths, depths = _depths([truth[one] for one, _ in pairs]), _depths([found[other] for _, other in pairs])
    shifts = [one - other for one, other in zip(true_depths, depths, strict=True)]
    return max(shifts.count(shift) for shift in set(shifts)) / len(shifts)


def _depths(entries: Sequence[Entry]) -> list[int]:
    """How many headings stand open above each."""
    open_levels: list[int] = []
    depths: list[int] = []
    for entry in entries:
        while open_levels and open_levels[-1] >= entry.level:
            open_levels.pop()
        depths.append(len(open_levels))
        open_levels.append(entry.level)
    return depths
