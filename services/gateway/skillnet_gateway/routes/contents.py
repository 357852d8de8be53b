"""What a version was read into: its outline and its chunks."""

from __future__ import annotations

from typing import Annotated
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


@router.get(
    "/documents/{document_id}/outline",
    responses=problem_responses(*_COMMON, ErrorCode.CONTENTS_MISSING),
    summary="The tree of a version's sections, with pages and character spans",
)
async def get_outline(
    document_id: UUID, caller: Reader, gateway: TheGateway, version: VersionToRead = None
) -> Outline:
    """There as soon as the version has been read; the index of its chunks may follow later."""
    return await gateway.contents.outline(caller.principal, document_id, version)


@router.get(
    "/documents/{document_id}/chunks",
    responses=problem_responses(*_COMMON, ErrorCode.CONTENTS_MISSING),
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
    responses=problem_responses(*_COMMON),
    summary="One chunk, as a passage or a source names it",
)
async def get_chunk(document_id: UUID, chunk_id: UUID, caller: Reader, gateway: TheGateway) -> Chunk:
    """Also of a version that is not live any more, as long as it is kept."""
    return await gateway.contents.chunk(caller.principal, document_id, chunk_id)
