"""Found chunks with their text, as they are shown and put into a context."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from skillnet_common.contracts.retrieval import BoxOut, Passage, Scores
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.fusion import Ranked

TABLE = "table"


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The wide row of a chunk. `boxes` are (page, x0, y0, x1, y1) in fractions of the page."""

    chunk_id: UUID
    document_id: UUID
    version: int
    document_title: str
    file_type: str
    kind: str
    section_id: str
    section_path: tuple[str, ...]
    body: str
    overlap_chars: int
    chunk_index: int
    page_start: int | None
    page_end: int | None
    page_labels: tuple[str, ...]
    char_start: int
    char_end: int
    boxes: tuple[tuple[float, float, float, float, float], ...]
    language: str
    ocr: bool
    content_hash: bytes

    @property
    def own_text(self) -> str:
        """The body without what repeats the chunk before."""
        return self.body[self.overlap_chars :].lstrip()

    @property
    def shown_text(self) -> str:
        """`own_text`, but a table that goes on keeps its header row: without it the cells say nothing."""
        return self.body if self.kind == TABLE else self.own_text

    @property
    def label_start(self) -> str | None:
        """The printed number of the first page, where the document has its own numbering."""
        return self._label(self.page_start)

    @property
    def label_end(self) -> str | None:
        """The printed number of the last page."""
        return self._label(self.page_end)

    def _label(self, page: int | None) -> str | None:
        return self.page_labels[page - 1] if page is not None and page <= len(self.page_labels) else None


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A chunk in a ranking. `score` orders; `scores` are shown."""

    text: ChunkText
    score: float
    scores: Scores


def scores_of(ranked: Ranked, pool: Pool) -> Scores:
    """Every score under its name."""
    candidate = ranked.candidate
    return Scores(
        fused=ranked.fused,
        semantic=candidate.cosine,
        semantic_rank=candidate.semantic_rank,
        keyword=candidate.bm25 or 0.0,
        keyword_rank=candidate.keyword_rank,
        coverage=pool.coverage(candidate),
        late=ranked.late,
        rerank=ranked.rerank,
    )


def boxes_out(boxes: tuple[tuple[float, float, float, float, float], ...]) -> list[BoxOut]:
    """The boxes as they travel."""
    return [BoxOut(page=int(page), x0=x0, y0=y0, x1=x1, y1=y1) for page, x0, y0, x1, y1 in boxes]


def passage_out(found: FoundPassage) -> Passage:
    """The passage as it travels."""
    text = found.text
    return Passage(
        chunk_id=text.chunk_id,
        document_id=text.document_id,
        version=text.version,
        document_title=text.document_title,
        file_type=text.file_type,
        section_id=text.section_id,
        section_path=list(text.section_path),
        text=text.shown_text,
        chunk_index=text.chunk_index,
        page_start=text.page_start,
        page_end=text.page_end,
        page_label_start=text.label_start,
        page_label_end=text.label_end,
        char_start=text.char_start,
        char_end=text.char_end,
        boxes=boxes_out(text.boxes),
        language=text.language,
        ocr=text.ocr,
        scores=found.scores,
    )
