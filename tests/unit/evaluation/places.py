"""Passages for tests of what counts as found."""

from __future__ import annotations

from uuid import uuid4

from skillnet_common.contracts.retrieval import Passage, Scores
from skillnet_evaluation.judging import Found


def found(
    document: str,
    pages: tuple[int, int] | None = None,
    *,
    section: tuple[str, ...] = (),
    text: str = "texto",
    unit: str = "u",
) -> Found:
    passage = Passage(
        chunk_id=uuid4(),
        document_id=uuid4(),
        version=1,
        document_title=document,
        file_type="pdf",
        section_id="s",
        section_path=list(section),
        text=text,
        chunk_index=0,
        page_start=pages[0] if pages else None,
        page_end=pages[1] if pages else None,
        char_start=0,
        char_end=1,
        language="es",
        scores=Scores(),
    )
    return Found(unit, document, passage)
