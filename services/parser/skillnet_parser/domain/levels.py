"""The levels of headings: from size, weight, labels and bookmarks to 1, 2, 3 ..."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import median

from skillnet_parser.domain.headings import Heading

MAX_LEVEL = 8
_FIRST_HEADINGS = 6
_MIN_TITLE_CHARS = 12
_LAW = re.compile(
    r"(?:ley|real\s+decreto|decreto|orden|resoluci[óo]n|reglamento|directiva|ordenanza|acuerdo|circular|"
    r"instrucci[óo]n)\b.{0,60}?\d{2}",
    re.IGNORECASE,
)
_SAME_SIZE = 0.5  # points

_Kind = tuple[str, int]  # "division" or "decimal" with its rank; "bookmark" with its level; "style" with a number
_Look = tuple[float, bool, bool]  # size, bold, capitals
_TITLE: _Kind = ("title", 0)


def find_title(headings: Sequence[Heading], title: str | None) -> int | None:
    """The index of the heading that says the document's title, among the first: the name of a law before its
    labels, or what says `title`. One that others are set like is one of them and no title."""
    law = next((index for index, heading in enumerate(_before_labels(headings)) if _LAW.match(heading.text)), None)
    if law is not None or title is None:
        return law
    wanted = _fold(title)
    for index, heading in enumerate(headings[:_FIRST_HEADINGS]):
        said = _fold(heading.text)
        if said and (said == wanted or (len(said) >= _MIN_TITLE_CHARS and wanted.startswith(said))):
            return None if _is_one_of_many(heading, headings[index + 1 :], wanted) else index
    return None


def _before_labels(headings: Sequence[Heading]) -> Iterator[Heading]:
    return takewhile(lambda heading: heading.label is None, headings[:_FIRST_HEADINGS])


def _is_one_of_many(heading: Heading, later: Sequence[Heading], title: str) -> bool:
    """Whether a later heading without a label is set as this one; a cover may say the title twice."""
    return any(
        other.label is None
        and (other.style.bold, other.caps) == (heading.style.bold, heading.caps)
        and abs(other.style.size - heading.style.size) <= _SAME_SIZE
        and _fold(other.text) not in title
        for other in later
    )


def assign_levels(headings: Sequence[Heading], title: int | None) -> list[int]:
    """A level for each heading, 1 the top; `title` is the index of the document's title, above all others.

    Headings are grouped by label (all of `Artículo n`, all of `n.n`) or, without one, by look. Groups are
    ranked by bookmark level where the file has bookmarks, else by size, weight and capitals; then divisions
    and decimals are put into their own order: a chapter never outranks its title, nor `1.1` its `1`. A look
    shared by numbered headings takes their level; a look of one heading alone, that of the next group.
    """
    kinds = _group(headings)
    if title is not None:
        kinds[title] = _TITLE
    members: dict[_Kind, list[Heading]] = defaultdict(list)
    for heading, kind in zip(headings, kinds, strict=True):
        members[kind].append(heading)
    levels = _number(_in_own_order(_rank(members)), members)
    return _close_gaps([levels[kind] for kind in kinds])


def _close_gaps(levels: Sequence[int]) -> list[int]:
    """Each level as the number of headings it stands under, so that no level is skipped."""
    open_levels: list[int] = []
    depths: list[int] = []
    for level in levels:
        while open_levels and open_levels[-1] >= level:
            open_levels.pop()
        open_levels.append(level)
        depths.append(len(open_levels))
    return depths


def _number(order: Sequence[_Kind], members: dict[_Kind, list[Heading]]) -> dict[_Kind, int]:
    """Levels without gaps. Single odd headings, as on a title page, do not push all others down; titles that
    only a bookmark shows stand beside labelled ones of the same bookmark level."""
    levels: dict[_Kind, int] = {}
    level = 1
    for index, kind in enumerate(order):
        after = order[index + 1] if index + 1 < len(order) else None
        levels[kind] = min(level, MAX_LEVEL)
        odd = kind[0] == "style" and len(members[kind]) == 1
        if not odd and not (after is not None and _are_equal(kind, after, members)):
            level += 1
    return levels


def _are_equal(kind: _Kind, after: _Kind, members: dict[_Kind, list[Heading]]) -> bool:
    if "bookmark" not in (kind[0], after[0]):
        return False
    return _bookmark_level(members[kind]) == _bookmark_level(members[after])


def _fold(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _look(heading: Heading, sizes: Sequence[float]) -> _Look:
    nearest = min(sizes, key=lambda size: abs(size - heading.style.size))
    return (nearest, heading.style.bold, heading.caps)


def _cluster_sizes(headings: Sequence[Heading]) -> list[float]:
    """Sizes that differ by more than half a point, the more frequent standing for its neighbours."""
    counts = Counter(heading.style.size for heading in headings)
    sizes: list[float] = []
    for size, _ in counts.most_common():
        if all(abs(size - other) > _SAME_SIZE for other in sizes):
            sizes.append(size)
    return sizes


def _group(headings: Sequence[Heading]) -> list[_Kind]:
    sizes = _cluster_sizes(headings)
    looks = [_look(heading, sizes) for heading in headings]
    labelled: dict[_Look, Counter[_Kind]] = defaultdict(Counter)
    for heading, look in zip(headings, looks, strict=True):
        if heading.label is not None:
            labelled[look][heading.label.family, heading.label.rank] += 1
    numbers: dict[_Look, int] = {}
    kinds: list[_Kind] = []
    for index, (heading, look) in enumerate(zip(headings, looks, strict=True)):
        if heading.label is not None:
            kinds.append((heading.label.family, heading.label.rank))
        elif heading.bookmark_level is not None:
            kinds.append(("bookmark", heading.bookmark_level))
        elif look in labelled:
            kind = min(labelled[look], key=lambda kind: kind[1])
            kinds.append((kind[0], kind[1] - 1) if _heads(headings, index, kind) else kind)
        else:
            kinds.append(("style", numbers.setdefault(look, len(numbers))))
    return _equate_divisions(headings, kinds, labelled)


def _heads(headings: Sequence[Heading], index: int, kind: _Kind) -> bool:
    """Whether the heading stands directly above a division of that kind, as a chapter without a label does."""
    if kind[0] != "division" or index + 1 == len(headings):
        return False
    below = headings[index + 1]
    follows = below.first == headings[index].last + 1
    return follows and below.label is not None and (below.label.family, below.label.rank) == kind


def _equate_divisions(
    headings: Sequence[Heading], kinds: Sequence[_Kind], labelled: dict[_Look, Counter[_Kind]]
) -> list[_Kind]:
    """`Anexo A` set like `14. Fin` stands beside it: the only division that has a decimal's look is that
    decimal's equal, unless bookmarks tell them apart."""
    equal: dict[_Kind, _Kind] = {}
    for members in labelled.values():
        divisions = [kind for kind in members if kind[0] == "division"]
        decimals = [kind for kind in members if kind[0] == "decimal"]
        if len(divisions) == 1 and decimals:
            stated = {
                _bookmark_level([heading for heading, kind in zip(headings, kinds, strict=True) if kind == one])
                for one in (divisions[0], min(decimals))
            }
            if len(stated - {None}) < 2:
                equal[divisions[0]] = min(decimals)
    return [equal.get(kind, kind) for kind in kinds]


def _rank(members: dict[_Kind, list[Heading]]) -> list[_Kind]:
    """The groups, the highest first."""
    weights = {kind: _weight(group) for kind, group in members.items()}
    bookmarked = {kind: _bookmark_level(group) for kind, group in members.items()}

    def level(kind: _Kind) -> float:
        if kind == _TITLE:
            return 0.0
        known = bookmarked[kind]
        if known is not None:
            return known
        above = [other for other in members if bookmarked[other] is not None and weights[other] <= weights[kind]]
        return max((bookmarked[other] or 0.0 for other in above), default=0.0) + 0.5

    return sorted(members, key=lambda kind: (level(kind), *weights[kind], kind))


def _bookmark_level(group: Sequence[Heading]) -> float | None:
    """The level that bookmarks give most of the group, or None."""
    levels = [heading.bookmark_level for heading in group if heading.bookmark_level is not None]
    return float(median(levels)) if len(levels) * 2 >= len(group) else None


def _weight(group: Sequence[Heading]) -> tuple[float, bool, bool]:
    """Smaller is higher up."""
    size = median(heading.style.size for heading in group)
    bold = sum(heading.style.bold for heading in group) * 2 > len(group)
    caps = sum(heading.caps for heading in group) * 2 > len(group)
    return (-size, not bold, not caps)


def _in_own_order(ranked: Sequence[_Kind]) -> list[_Kind]:
    """Divisions among the places of divisions, decimals among those of decimals, numerals among those of
    numerals, each by its own rank."""
    order = list(ranked)
    for family in ("division", "decimal", "numeral"):
        places = [index for index, kind in enumerate(order) if kind[0] == family]
        for index, kind in zip(places, sorted(order[index] for index in places), strict=True):
            order[index] = kind
    return order
