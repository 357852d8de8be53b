"""Chunks into batches of embed work. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

Batch = tuple[list[UUID], int]
"""(chunk ids, tokens)"""


def make_batches(chunks: Iterable[tuple[UUID, int]], *, token_budget: int) -> list[Batch]:
    """Groups (chunk id, tokens) in order; no batch but one of a single chunk exceeds the budget."""
    batches: list[Batch] = []
    for chunk_id, tokens in chunks:
        if batches and batches[-1][1] + tokens <= token_budget:
            ids, total = batches[-1]
            batches[-1] = ([*ids, chunk_id], total + tokens)
        else:
            batches.append(([chunk_id], tokens))
    return batches
