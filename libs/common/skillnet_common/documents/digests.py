"""Digests of sections: they tell what an update changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from skillnet_common.documents.parsed import ParsedDocument


def section_digests(parsed: ParsedDocument) -> list[bytes]:
    """SHA-256 of each section's own text, 32 bytes, in the order of `parsed.sections`.

    Runs of white space count as one space, so that a mere change of layout is no change of content.
    """
    pieces: list[list[str]] = [[] for _ in parsed.sections]
    for block in parsed.blocks:
        pieces[block.section].append(parsed.text[block.start : block.end])
    return [_digest(texts) for texts in pieces]


def _digest(texts: Iterable[str]) -> bytes:
    return hashlib.sha256(" ".join(" ".join(texts).split()).encode()).digest()
