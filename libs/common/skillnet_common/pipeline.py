"""The fingerprint of what turns a file into chunks: a change of any part is a reason to redo its work.

The embedding model's identity is kept apart: another model re-embeds, it does not re-read.
"""

from __future__ import annotations

import hashlib

PARSER_VERSION = "1"
CLEANER_VERSION = "1"
CHUNKER_VERSION = "1"
HEADER_VERSION = "1"


def pipeline_fingerprint(*, window: int = 512) -> str:
    """16 hex digits over the versions of parser, cleaner, chunker, header and the model's window in tokens."""
    parts = (PARSER_VERSION, CLEANER_VERSION, CHUNKER_VERSION, HEADER_VERSION, str(window))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
