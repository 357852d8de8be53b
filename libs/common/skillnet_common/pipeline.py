"""The fingerprint of what turns a file into chunks: a change of a part is a reason to redo what it touches, no more.

It has two halves, `<reading>-<chunking>`: where only the second differs, what was read is cut anew, without its file.
The embedding model's identity is kept apart: another model re-embeds, it does not re-read.
"""

from __future__ import annotations

import hashlib

from skillnet_common.chunk_sizes import ChunkSizes

PARSER_VERSION = "5"
CLEANER_VERSION = "1"
CHUNKER_VERSION = "2"
HEADER_VERSION = "1"


def reading_fingerprint() -> str:
    """16 hex digits over the versions of parser and cleaner."""
    return _digest(PARSER_VERSION, CLEANER_VERSION)


def chunking_fingerprint(sizes: ChunkSizes) -> str:
    """16 hex digits over the versions of chunker and header, and the sizes of chunks: `max_tokens` is the model's
    window where that is smaller."""
    numbers = (sizes.max_tokens, sizes.target_tokens, sizes.min_tokens, sizes.overlap_sentences)
    return _digest(CHUNKER_VERSION, HEADER_VERSION, *map(str, numbers))


def pipeline_fingerprint(sizes: ChunkSizes) -> str:
    """Of a version that is read and cut now."""
    return f"{reading_fingerprint()}-{chunking_fingerprint(sizes)}"


def same_reading(fingerprint: str, other: str) -> bool:
    """Whether two pipelines read a file alike, however they cut it."""
    return fingerprint.partition("-")[0] == other.partition("-")[0]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
