"""How a parsed document becomes chunks. Pure: no bus, database or files."""

from skillnet_chunker.domain.chunking import chunk_document
from skillnet_chunker.domain.coverage import Unindexed, UnindexedSpan, coverage
from skillnet_chunker.domain.hashing import (
    SectionDiff,
    content_hash,
    diff_sections,
    embed_hash,
    section_digest,
    section_digests,
)
from skillnet_chunker.domain.options import ChunkOptions, TokenCounter

__all__ = [
    "ChunkOptions",
    "SectionDiff",
    "TokenCounter",
    "Unindexed",
    "UnindexedSpan",
    "chunk_document",
    "content_hash",
    "coverage",
    "diff_sections",
    "embed_hash",
    "section_digest",
    "section_digests",
]
