"""The levels of headings: from size, weight, labels and bookmarks to 1, 2, 3 ..."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median

from skillnet_parser.domain.headings import Heading

MAX_LEVEL = 6
_SAME_SIZE = 0.5  # points

_Kind = tuple[str, int]  # "division" or "decimal" with its rank; "style" with a number
_Look = tuple[float, bool, bool]  # size, bold, capitals


def assign_levels(headings: Sequence[Heading]) -> list[int]:
    """A level for each heading, 1 the top.

    Headings are grouped by label (all of `Artículo n`, all of `n.n`) or, without one, by look. Groups are
    ranked by bookmark level where the file has bookmarks, else by size, weight and capitals; then divisions
    and decimals are put into their own order: a chapter never outranks its title, nor `1.1` its `1`. A look
    shared by numbered headings takes their level.
    """
    kinds = _group(headings)
    order = _in_own_order(_rank(headings, kinds))
    levels = {kind: min(position + 1, MAX_LEVEL) for position, kind in enumerate(order)}
    return [levels[kind] for kind in kinds]


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
    for heading, look in zip(headings, looks, strict=True):
        if heading.label is not None:
            kinds.append((heading.label.family, heading.label.rank))
        elif look in labelled:
            kinds.append(min(labelled[look], key=lambda kind: kind[1]))
        else:
            kinds.append(("style", numbers.setdefault(look, len(numbers))))
    return kinds


def _rank(headings: Sequence[Heading], kinds: Sequence[_Kind]) -> list[_Kind]:
    """The groups, the highest first."""
    members: dict[_Kind, list[Heading]] = defaultdict(list)
    for heading, kind in zip(headings, kinds, strict=True):
        members[kind].append(heading)
    weights = {kind: _weight(group) for kind, group in members.items()}
    bookmarked = {kind: _bookmark_level(group) for kind, group in members.items()}

    def level(kind: _Kind) -> float:
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
    """Divisions among the places of divisions, decimals among those of decimals, each by its own rank."""
    order = list(ranked)
    for family in ("division", "decimal"):
        places = [index for index, kind in enumerate(order) if kind[0] == family]
        for index, kind in zip(places, sorted(order[index] for index in places), strict=True):
            order[index] = kind
    return order
