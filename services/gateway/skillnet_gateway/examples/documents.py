"""Documents and what they hold."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from pydantic import BaseModel

from skillnet_common.contracts.contents import (
    Chunk,
    ChunkPage,
    Outline,
    OutlineSection,
    RemovedText,
    UnindexedSpan,
)
from skillnet_common.contracts.documents import (
    DocumentDetail,
    DocumentPage,
    DocumentStatus,
    DocumentSummary,
    UploadReply,
    VersionDetail,
    VersionProgress,
    VersionState,
)
from skillnet_common.contracts.reprocessing import ReprocessedDocument, ReprocessReply
from skillnet_common.contracts.retrieval import BoxOut
from skillnet_common.contracts.work import Stage
from skillnet_gateway.uploads import links_of

DOCUMENT_ID = UUID("0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10")
CHUNK_ID = UUID("6f1c9f0e-0d52-5f0c-9a57-2f4f7f0f1c11")
TEXT = "El cliente tiene 30 días. Sin recibo se entrega un vale."

_LINKS = links_of(DOCUMENT_ID)
_CREATED = datetime(2027, 3, 1, 8, 30, tzinfo=UTC)
_UPDATED = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)

_UPLOAD = UploadReply(document_id=DOCUMENT_ID, version=1, outcome="created", links=_LINKS)
_SUMMARY = DocumentSummary(
    document_id=DOCUMENT_ID,
    source="upload",
    external_key="tienda/devoluciones.pdf",
    title="Política de devoluciones",
    status=DocumentStatus.READY,
    file_type="pdf",
    page_count=12,
    page_count_estimated=False,
    language="es",
    taxonomy="tienda/caja",
    metadata={"departamento": "ventas"},
    courses=["onboarding"],
    live_version=2,
    newest_version=3,
    newest_state=VersionState.EMBEDDING,
    progress=VersionProgress(stage="embed", batches_done=2, batches_total=9, waiting_ahead=4),
    created_at=_CREATED,
    updated_at=_UPDATED,
)
_VERSION = VersionDetail(
    version=2,
    state=VersionState.READY,
    file_name="devoluciones.pdf",
    file_type="pdf",
    size_bytes=184_320,
    sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    title="Política de devoluciones",
    language="es",
    page_count=12,
    page_count_estimated=False,
    chunk_count=31,
    created_at=_CREATED,
    ready_at=_UPDATED,
)
_ROOT = OutlineSection(
    section_id="5d41402abc4b",
    parent_id=None,
    level=0,
    heading="",
    path=[],
    page_start=1,
    page_end=1,
    page_label_start="i",
    page_label_end="i",
    char_start=0,
    char_end=308,
)
_SECTION = OutlineSection(
    section_id="9f3c1a2b7d10",
    parent_id=_ROOT.section_id,
    level=1,
    heading="Devoluciones",
    path=["Devoluciones"],
    page_start=2,
    page_end=3,
    page_label_start="ii",
    page_label_end="1",
    char_start=310,
    char_end=1_204,
)
_CHUNK = Chunk(
    chunk_id=CHUNK_ID,
    document_id=DOCUMENT_ID,
    version=2,
    chunk_index=4,
    kind="paragraph",
    section_id=_SECTION.section_id,
    section_path=_SECTION.path,
    text=TEXT,
    overlap_chars=26,
    header="Política de devoluciones > Devoluciones",
    page_start=2,
    page_end=2,
    page_label_start="ii",
    page_label_end="ii",
    char_start=330,
    char_end=360,
    boxes=[BoxOut(page=2, x0=0.11, y0=0.2, x1=0.88, y1=0.22)],
    token_count=27,
    language="es",
)

DOCUMENTS: tuple[BaseModel, ...] = (
    _UPLOAD,
    DocumentPage(documents=[_SUMMARY], next_cursor="WzE3NzI5NzU0MDAwMDAwMDAsICIwMTk1ZjZiMCJd"),
    DocumentDetail(**dict(_SUMMARY), versions=[_VERSION], links=_LINKS),
    Outline(
        document_id=DOCUMENT_ID,
        version=2,
        title="Política de devoluciones",
        page_count=12,
        page_count_estimated=False,
        sections=[_ROOT, _SECTION],
        removed=[
            RemovedText(reason="running_line", text="Panadería La Espiga · Uso interno", pages=[1, 2, 3]),
            RemovedText(reason="hidden", text="borrador", pages=[4]),
        ],
        unindexed=[UnindexedSpan(reason="contents", char_start=0, char_end=212)],
    ),
    ReprocessReply(started=[ReprocessedDocument(document_id=DOCUMENT_ID, version=4, stage=Stage.CHUNK)], outdated=0),
    _CHUNK,
    ChunkPage(document_id=DOCUMENT_ID, version=2, chunk_count=31, chunks=[_CHUNK], next_cursor="WzIsIDVd"),
)
