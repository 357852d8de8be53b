"""Whether a reader before a screen meets the conditions of a page's rules."""

from __future__ import annotations

import re
from enum import IntEnum

_QUERY = re.compile(r"(?:(?P<not>not)\s+|only\s+)?(?P<type>[a-z-]+)?(?P<features>.*)", re.DOTALL)
_SEEN_ON = frozenset({"screen", "all"})


class When(IntEnum):
    """When rules hold: one within another holds no oftener."""

    NEVER = 0
    SOMETIMES = 1  # in a narrow window, by night, held upright
    ALWAYS = 2


def when_asked(queries: str) -> When:
    """What a list of media queries comes to."""
    return max(_query(query.strip()) for query in queries.lower().split(","))


def when_supported(condition: str) -> When:
    """What browsers of today know is taken for known."""
    return When.NEVER if re.search(r"\bnot\b", condition.lower()) else When.ALWAYS


def _query(query: str) -> When:
    found = _QUERY.match(query)
    if found is None:
        return When.NEVER
    seen = (found["type"] or "all") in _SEEN_ON
    if found["features"].strip():
        return When.SOMETIMES if seen or found["not"] else When.NEVER
    return When.ALWAYS if seen is not bool(found["not"]) else When.NEVER
