"""Figures of a parsed document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skillnet_common.documents import Chunk, ParsedDocument


def statistics_of(document: ParsedDocument, chunks: Sequence[Chunk] | None) -> dict[str, object]:
    """Pages and those of them that recognition read, characters, sections, blocks by kind, what was left out by
    reason; of chunks their number and sizes in tokens, where they were cut."""
    kinds = Counter(block.kind.value for block in document.blocks)
    figures: dict[str, object] = {
        "file_type": document.file_type,
        "language": document.language,
        "pages": None if document.page_count_estimated else document.page_count,
        "ocr_pages": len(document.ocr_pages),
        "characters": len(document.text),
        "words": len(document.text.split()),
        "sections": len(document.sections) - 1,
        "blocks": dict(sorted(kinds.items())),
        "left_out": dict(sorted(Counter(removal.reason.value for removal in document.removed).items())),
    }
    if chunks is not None:
        sizes = sorted(chunk.token_count for chunk in chunks)
        figures["chunks"] = len(sizes)
        figures["chunk_tokens"] = (
            {"least": sizes[0], "middle": sizes[len(sizes) // 2], "most": sizes[-1]} if sizes else {}
        )
    return figures
