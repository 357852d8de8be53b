"""What a version was read into: its outline and its chunks."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import StringConstraints

from skillnet_common.contracts.contents import Chunk, ChunkPage, Outline
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Reader
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["documents"])

VersionToRead = Annotated[
    int | None, Query(ge=1, le=2**31 - 1, description="Without it: the live version, else the newest one.")
]

_COMMON = (
    ErrorCode.UNAUTHORIZED,
    ErrorCode.FORBIDDEN,
    ErrorCode.NOT_FOUND,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.UNAVAILABLE,
)
_DOCUMENT = "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10"
_SECTION = {
    "section_id": "9f3c1a2b7d10",
    "parent_id": "5d41402abc4b",
    "level": 1,
    "heading": "Devoluciones",
    "path": ["Devoluciones"],
    "page_start": 2,
    "page_end": 3,
    "page_label_start": "ii",
    "page_label_end": "1",
    "char_start": 310,
    "char_end": 1_204,
}
_ROOT = _SECTION | {
    "section_id": "5d41402abc4b",
    "parent_id": None,
    "level": 0,
    "heading": "",
    "path": [],
    "page_start": 1,
    "page_end": 1,
    "page_label_start": "i",
    "page_label_end": "i",
    "char_start": 0,
    "char_end": 308,
}
_OUTLINE = {
    "document_id": _DOCUMENT,
    "version": 3,
    "title": "Manual de tienda",
    "page_count": 12,
    "page_count_estimated": False,
    "sections": [_ROOT, _SECTION],
}
_CHUNK = {
    "chunk_id": "6f1c9f0e-0d52-5f0c-9a57-2f4f7f0f1c11",
    "document_id": _DOCUMENT,
    "version": 3,
    "chunk_index": 4,
    "kind": "paragraph",
    "section_id": "9f3c1a2b7d10",
    "section_path": ["Devoluciones"],
    "text": "El cliente tiene 30 días. Sin recibo se entrega un vale.",
    "overlap_chars": 26,
    "header": "Manual de tienda > Devoluciones",
    "page_start": 2,
    "page_end": 2,
    "page_label_start": "ii",
    "page_label_end": "ii",
    "char_start": 330,
    "char_end": 360,
    "boxes": [{"page": 2, "x0": 0.11, "y0": 0.2, "x1": 0.88, "y1": 0.22}],
    "token_count": 27,
    "language": "es",
}
_CHUNKS = {
    "document_id": _DOCUMENT,
    "version": 3,
    "chunk_count": 31,
    "chunks": [_CHUNK],
    "next_cursor": "WzMsIDVd",
}


def _replies(example: dict[str, Any], *codes: ErrorCode) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {"application/json": {"example": example}}}, **problem_responses(*_COMMON, *codes)}


@router.get(
    "/documents/{document_id}/outline",
    responses=_replies(_OUTLINE, ErrorCode.CONTENTS_MISSING),
    summary="The tree of a version's sections, with pages and character spans",
)
async def get_outline(
    document_id: UUID, caller: Reader, gateway: TheGateway, version: VersionToRead = None
) -> Outline:
    """There as soon as the version has been read; the index of its chunks may follow later."""
    return await gateway.contents.outline(caller.principal, document_id, version)


@router.get(
    "/documents/{document_id}/chunks",
    responses=_replies(_CHUNKS, ErrorCode.CONTENTS_MISSING),
    summary="The chunks of a version, page by page",
)
async def list_chunks(
    document_id: UUID,
    caller: Reader,
    gateway: TheGateway,
    version: VersionToRead = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[
        str | None, StringConstraints(max_length=200), Query(description="`next_cursor` of the page before.")
    ] = None,
) -> ChunkPage:
    """In reading order. A cursor keeps to the version of its page, even when another becomes live."""
    return await gateway.contents.chunks(caller.principal, document_id, version, cursor, limit)


@router.get(
    "/documents/{document_id}/chunks/{chunk_id}",
    responses=_replies(_CHUNK),
    summary="One chunk, as a passage or a source names it",
)
async def get_chunk(document_id: UUID, chunk_id: UUID, caller: Reader, gateway: TheGateway) -> Chunk:
    """Also of a version that is not live any more, as long as it is kept."""
    return await gateway.contents.chunk(caller.principal, document_id, chunk_id)
