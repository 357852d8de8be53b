"""The fingerprint of what turns a file into chunks: a change of any part is a reason to redo its work.

The embedding model's identity is kept apart: another model re-embeds, it does not re-read.
"""

from __future__ import annotations

import hashlib

from skillnet_common.settings import ChunkSettings

PARSER_VERSION = "2"
CLEANER_VERSION = "1"
CHUNKER_VERSION = "1"
HEADER_VERSION = "1"


def pipeline_fingerprint(chunks: ChunkSettings, *, window: int) -> str:
    """16 hex digits over the versions of parser, cleaner, chunker and header, the sizes of chunks and the
    serving model's window, in tokens."""
    sizes = (window, chunks.chunk_target_tokens, chunks.chunk_min_tokens, chunks.chunk_overlap_sentences)
    parts = (PARSER_VERSION, CLEANER_VERSION, CHUNKER_VERSION, HEADER_VERSION, *map(str, sizes))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
