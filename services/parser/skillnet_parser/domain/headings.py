"""Which printed rows are headings.

Every signal counts: size against the body's, bold, capitals, a colour of its own, a label (`2.1`, `CAPÍTULO II`),
space above, a bookmark. A heading needs two; none rests on a fixed size. Rows set alike and close together are one
heading, unless a label opens the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from skillnet_parser.domain.heading_rows import alike_rows, is_caps
from skillnet_parser.domain.heading_signals import judge
from skillnet_parser.domain.label_names import name_below
from skillnet_parser.domain.layout import BodyStyle, Item, Row, Style
from skillnet_parser.domain.numbering import Label, read_label
from skillnet_parser.domain.numerals import find_numerals

_MAX_SHARE = 0.25  # of all rows; more and the signals mean something else
_OVER_TEXT = 1.5  # times the heading's length
_MOSTLY = 0.9
_NEEDED = 2


@dataclass(frozen=True, slots=True)
class Heading:
    """The items [first, last] form one heading."""

    first: int
    last: int
    text: str
    label: Label | None
    style: Style
    caps: bool
    strength: int
    bookmark_level: int | None = None


def find_headings(
    items: Sequence[Item], body: BodyStyle, excluded: set[int], bookmarks: Mapping[int, tuple[int, int]]
) -> list[Heading]:
    """The headings among the items, in order.

    `excluded` are indices that cannot be one (contents, notes). `bookmarks` maps the index of an item to
    the index of the last item and the level that a bookmark of the file gives it.
    """
    found: list[Heading] = []
    numerals = find_numerals(items, excluded, body)
    at = 0
    while at < len(items):
        after_label = bool(found) and found[-1].last == at - 1 and _is_label_alone(found[-1])
        heading = None
        if at not in excluded:
            heading = _heading_at(items, at, body, excluded, bookmarks, after_label=after_label)
            if at in numerals:
                heading = _numbered(items, at, heading, numerals[at])
            if heading is None and after_label and (name := name_below(items, at, excluded, body)):
                heading = _make_heading(at, name, strength=_NEEDED)
        if heading is None:
            at += 1
        else:
            found.append(heading)
            at = heading.last + 1
    return _drop_ending(_join_labels(_drop_unreliable(found, items), items, body), items)


def _heading_at(
    items: Sequence[Item],
    at: int,
    body: BodyStyle,
    excluded: set[int],
    bookmarks: Mapping[int, tuple[int, int]],
    *,
    after_label: bool,
) -> Heading | None:
    row = items[at]
    if not isinstance(row, Row):
        return None
    if at in bookmarks:
        last, level = bookmarks[at]
        rows = [item for item in items[at : last + 1] if isinstance(item, Row)]
        return _make_heading(at, rows, strength=_NEEDED + 2, bookmark_level=level)
    rows = alike_rows(items, at, excluded, body)
    strength = judge(items, at, rows, body, after_label=after_label)
    return _make_heading(at, rows, strength) if strength >= _NEEDED else None


def _numbered(items: Sequence[Item], at: int, heading: Heading | None, label: Label) -> Heading | None:
    """The heading a numeral opens: what print makes of the row, or the row alone."""
    if heading is not None:
        return replace(heading, label=label)
    row = items[at]
    if not isinstance(row, Row):
        return None
    return replace(_make_heading(at, [row], strength=_NEEDED), label=label)


def _make_heading(at: int, rows: Sequence[Row], strength: int, bookmark_level: int | None = None) -> Heading:
    text = " ".join(row.text for row in rows)
    label = read_label(text) or read_label(rows[0].text)  # `ANEXO` above its title
    return Heading(at, at + len(rows) - 1, text, label, rows[0].style, is_caps(text), strength, bookmark_level)


def _drop_unreliable(found: Sequence[Heading], items: Sequence[Item]) -> list[Heading]:
    """Where more than a quarter of a longer document's text would be headings, only the strong ones count, and
    those that a label such as `Artículo 5` announces: a law of short articles has many."""
    rows = [item for item in items if isinstance(item, Row)]
    doubtful = [heading for heading in found if heading.label is None or heading.label.family != "division"]
    covered = sum(heading.last - heading.first + 1 for heading in doubtful)
    chars = sum(len(heading.text) for heading in doubtful)
    if (
        len(rows) < 20
        or covered <= _MAX_SHARE * len(rows)
        or chars <= _MAX_SHARE * sum(len(row.text) for row in rows)
        or _head_text(doubtful, items)
    ):
        return list(found)
    return [heading for heading in found if heading.strength > _NEEDED + 1 or heading not in doubtful]


def _head_text(headings: Sequence[Heading], items: Sequence[Item]) -> bool:
    """Whether nearly all have text below that is longer than they are: questions over short answers, not the labels
    of a form."""
    firsts = {heading.first for heading in headings}
    weak = [heading for heading in headings if heading.strength <= _NEEDED + 1]
    over_text = 0
    for heading in weak:
        below = takewhile(lambda index: index not in firsts, range(heading.last + 1, len(items)))
        lengths = (len(item.text) for index in below if isinstance(item := items[index], Row))
        over_text += sum(lengths) >= _OVER_TEXT * len(heading.text)
    return over_text >= _MOSTLY * len(weak)


def _drop_ending(found: list[Heading], items: Sequence[Item]) -> list[Heading]:
    """Without the last one where nothing follows it and little speaks for it: signatures in capitals."""
    if found and found[-1].last == len(items) - 1 and found[-1].label is None and found[-1].strength <= _NEEDED:
        return found[:-1]
    return found


def _join_labels(found: Sequence[Heading], items: Sequence[Item], body: BodyStyle) -> list[Heading]:
    """`CAPÍTULO I` and the title below it are one heading."""
    joined: list[Heading] = []
    for heading in found:
        before = joined[-1] if joined else None
        if before is not None and _is_label_alone(before) and _titles_label(before, heading, items, body):
            joined[-1] = Heading(
                before.first,
                heading.last,
                f"{before.text} {heading.text}",
                before.label,
                heading.style if heading.style.size >= before.style.size else before.style,
                before.caps,
                before.strength,
                before.bookmark_level,
            )
        else:
            joined.append(heading)
    return joined


def _is_label_alone(heading: Heading) -> bool:
    return (
        heading.label is not None
        and heading.label.family == "division"
        and heading.first == heading.last
        and (not heading.label.rest or heading.label.rest.lower() == heading.text.strip(" .:").lower())
    )


def _titles_label(label: Heading, title: Heading, items: Sequence[Item], body: BodyStyle) -> bool:
    if title.first != label.last + 1 or title.label is not None:
        return False
    above, row = items[label.last], items[title.first]
    if not (isinstance(above, Row) and isinstance(row, Row) and above.page == row.page):
        return False
    return row.rect.y0 - above.rect.y1 <= 3 * body.pitch
