"""Tags with thousands of attributes: the library compares each with all before it, which takes minutes."""

from __future__ import annotations

import re

_LARGE = 100_000  # characters: smaller sources are quick whatever they hold
_MOST = 300
_TAG = re.compile(r"<[a-zA-Z][^\s/>]*")
_ATTRIBUTE = re.compile(
    r"""[\s/]*(?P<name>[^\s/>="'<][^\s/>=]*)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>][^\s>]*))?""",
)
_THAT_COUNT = frozenset(
    [
        *("class", "id", "style", "role", "href", "alt", "colspan", "rowspan", "start"),
        *("hidden", "aria-hidden", "aria-level"),
    ]
)


def shorten_tags(source: str) -> str:
    """The source with the attributes that reading looks at alone where a tag has more than 300. Takes linear time."""
    if len(source) < _LARGE:
        return source
    parts: list[str] = []
    done = at = 0
    while (tag := _TAG.search(source, at)) is not None:
        at, count = tag.end(), 0
        kept: dict[str, str] = {}
        while (attribute := _ATTRIBUTE.match(source, at)) is not None:
            at, count = attribute.end(), count + 1
            if (name := attribute["name"].lower()) in _THAT_COUNT:
                kept.setdefault(name, attribute[0])
        if count > _MOST:
            parts += [source[done : tag.end()], *kept.values()]
            done = at
    return "".join([*parts, source[done:]])
