"""How a parsed document becomes chunks. Pure: no bus, database or files."""

from skillnet_chunker.domain.chunking import chunk_document
from skillnet_chunker.domain.coverage import Unindexed, UnindexedSpan, coverage, unindexed
from skillnet_chunker.domain.hashing import (
    content_hash,
    embed_hash,
)
from skillnet_chunker.domain.options import ChunkOptions, TokenCounter

__all__ = [
    "ChunkOptions",
    "TokenCounter",
    "Unindexed",
    "UnindexedSpan",
    "chunk_document",
    "content_hash",
    "coverage",
    "embed_hash",
    "unindexed",
]
