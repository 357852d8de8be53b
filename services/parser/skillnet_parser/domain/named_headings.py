"""Headings where the bookmarks are the outline: those they name, and those whose labels prove to stand below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillnet_parser.domain.headings import Heading

_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def keep_named(headings: Sequence[Heading]) -> list[Heading]:
    """What bookmarks name, and below it `2.1.1` under a named `2.1` and articles under a named chapter where no
    bookmark names an article. Others are print that the file's author did not take for a heading."""
    ranks = {
        heading.label.rank
        for heading in headings
        if heading.bookmark_level is not None and heading.label is not None and heading.label.family == "division"
    }
    kept: list[Heading] = []
    named: Heading | None = None
    for heading in headings:
        if heading.bookmark_level is not None:
            named = heading
        elif named is None or not (_continues_number(heading, named) or _divides(heading, named, ranks)):
            continue
        kept.append(heading)
    return kept


def _continues_number(heading: Heading, named: Heading) -> bool:
    if heading.label is None or heading.label.family != "decimal":
        return False
    above, below = _NUMBER.match(named.text), _NUMBER.match(heading.text)
    return above is not None and below is not None and below[0].startswith(f"{above[0]}.")


def _divides(heading: Heading, named: Heading, ranks: set[int]) -> bool:
    """Whether a division is narrower than the named one above it and of a kind that bookmarks leave out."""
    if heading.label is None or heading.label.family != "division" or heading.label.rank in ranks:
        return False
    return named.label is not None and named.label.family == "division" and heading.label.rank > named.label.rank
