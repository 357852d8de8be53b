"""Hashes of chunks."""

from __future__ import annotations

import hashlib

from skillnet_chunker.domain import content_hash, embed_hash


def test_hashes_are_sha256_of_the_exact_text() -> None:
    assert content_hash("días") == hashlib.sha256("días".encode()).digest()
    assert embed_hash("passage: días") == hashlib.sha256("passage: días".encode()).digest()
    assert content_hash("15 días") != content_hash("15  días")
