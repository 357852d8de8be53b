"""The section tree: from headings with levels to sections with parents, paths and stable ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A section without its span. Node 0 is the root."""

    section_id: str
    parent: int | None
    level: int
    heading: str
    path: tuple[str, ...]


class OutlineBuilder:
    """Collects headings in reading order."""

    def __init__(self) -> None:
        self._ids: Counter[tuple[str, ...]] = Counter()
        self._open = [0]
        self.nodes = [OutlineNode(self._identify(()), None, 0, "", ())]

    def add(self, heading: str, level: int) -> int:
        """Opens a section under the nearest heading of a smaller level; returns its index."""
        if level < 1:
            raise ValueError(f"a heading has a level of at least 1, not {level}")
        while self.nodes[self._open[-1]].level >= level:
            self._open.pop()
        parent = self._open[-1]
        path = (*self.nodes[parent].path, heading)
        self.nodes.append(OutlineNode(self._identify(path), parent, level, heading, path))
        self._open.append(len(self.nodes) - 1)
        return self._open[-1]

    def _identify(self, path: tuple[str, ...]) -> str:
        ordinal = self._ids[path]
        self._ids[path] += 1
        key = "\x1f".join((*path, str(ordinal)))
        return hashlib.sha256(key.encode()).hexdigest()[:16]
