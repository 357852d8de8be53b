"""Outlines compared with true ones."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from skillnet_common.documents import ParsedDocument

_ALIKE = 0.9
_NUMBER = re.compile(r"\s*\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?=\w)")
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
    """Headings match when their letters do by 90 %, numbers before them left out, each once, in order but for a
    few places."""
    pairs = _match([_key(entry.title) for entry in truth], [_key(entry.title) for entry in found])
    if not truth or not found:
        return OutlineScore(float(not found), float(not truth), None)
    return OutlineScore(len(pairs) / len(found), len(pairs) / len(truth), _agreement(truth, found, pairs))


def _key(title: str) -> str:
    """Without its number: bookmarks and printed headings differ in it."""
    return fold(_NUMBER.sub("", title, count=1)) or fold(title)


def _match(truth: Sequence[str], found: Sequence[str]) -> list[tuple[int, int]]:
    """The longest alignment in order, then equal ones that are left and stand near."""
    pairs = _align(truth, found)
    left = [index for index in range(len(truth)) if index not in {one for one, _ in pairs}]
    free = [at for at in range(len(found)) if at not in {other for _, other in pairs}]
    for index in left:
        at = next((at for at in free if found[at] == truth[index] and abs(at - index) <= _WINDOW), None)
        if at is not None:
            pairs.append((index, at))
            free.remove(at)
    return sorted(pairs)


def _align(truth: Sequence[str], found: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common subsequence of alike titles (Wagner and Fischer 1974)."""
    alike = [[one == other or _is_alike(one, other) for other in found] for one in truth]
    best = [[0] * (len(found) + 1) for _ in range(len(truth) + 1)]
    for i in range(len(truth) - 1, -1, -1):
        for j in range(len(found) - 1, -1, -1):
            best[i][j] = best[i + 1][j + 1] + 1 if alike[i][j] else max(best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(truth) and j < len(found):
        if alike[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _is_alike(title: str, found: str) -> bool:
    if not title or abs(len(title) - len(found)) > (1 - _ALIKE) * 2 * max(len(title), len(found)):
        return False
    if [*filter(str.isdigit, title)] != [*filter(str.isdigit, found)]:
        return False  # article 3 is not article 4
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
