"""Dropping passages that say the same again. Only what is surely the same: passages that differ in a figure stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from skillnet_retriever.domain.passages import FoundPassage


def without_duplicates(passages: Sequence[FoundPassage]) -> list[FoundPassage]:
    """Keeps, in order, the first of equal bodies and of passages of one document whose spans overlap."""
    kept: list[FoundPassage] = []
    hashes: set[bytes] = set()
    spans: dict[tuple[UUID, int], list[tuple[int, int]]] = defaultdict(list)
    for passage in passages:
        text = passage.text
        taken = spans[text.document_id, text.version]
        overlaps = any(text.char_start < end and start < text.char_end for start, end in taken)
        if text.content_hash in hashes or overlaps:
            continue
        hashes.add(text.content_hash)
        taken.append((text.char_start, text.char_end))
        kept.append(passage)
    return kept
