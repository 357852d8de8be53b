"""Hashes that tell what changed: of a chunk's body, and of the exact model input."""

from __future__ import annotations

import hashlib


def content_hash(body: str) -> bytes:
    """SHA-256 of a chunk's body, 32 bytes."""
    return hashlib.sha256(body.encode()).digest()


def embed_hash(model_input: str) -> bytes:
    """SHA-256 of the exact string the model reads, 32 bytes: equal ones have equal vectors."""
    return hashlib.sha256(model_input.encode()).digest()
