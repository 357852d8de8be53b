"""The original files, as they were uploaded."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Header, Response
from fastapi.responses import StreamingResponse

from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Reader
from skillnet_gateway.documents import OriginalFile
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses
from skillnet_gateway.ranges import is_known, requested_range
from skillnet_gateway.routes.contents import VersionToRead

router = APIRouter(prefix=API_PREFIX, tags=["documents"])

_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
    "csv": "text/csv",
    "markdown": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
}
_ANY = "application/octet-stream"
_BYTES: dict[str, Any] = {_ANY: {"schema": {"type": "string", "format": "binary"}}}
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": _BYTES},
    206: {"description": "The part of the file that `Range` asks for.", "content": _BYTES},
    304: {"description": "`If-None-Match` names the file: the caller has it."},
}


@router.get(
    "/documents/{document_id}/original",
    response_class=StreamingResponse,
    responses={
        **_REPLIES,
        **problem_responses(
            ErrorCode.UNAUTHORIZED,
            ErrorCode.FORBIDDEN,
            ErrorCode.NOT_FOUND,
            ErrorCode.ORIGINAL_MISSING,
            ErrorCode.RANGE_NOT_SATISFIABLE,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.UNAVAILABLE,
        ),
    },
    summary="The original file of a version, or a range of its bytes",
)
async def get_original(
    document_id: UUID,
    caller: Reader,
    gateway: TheGateway,
    version: VersionToRead = None,
    wanted: Annotated[
        str | None, Header(alias="Range", max_length=1_000, description="One range; several get the whole file.")
    ] = None,
    if_range: Annotated[
        str | None, Header(max_length=1_000, description="An ETag; the whole file where it is another one.")
    ] = None,
    if_none_match: Annotated[
        str | None, Header(max_length=1_000, description="ETags of files that the caller has.")
    ] = None,
) -> Response:
    """Always a download, with the SHA-256 as its ETag. `HEAD` is answered too."""
    original = await gateway.documents.original(caller.principal, document_id, version)
    headers = _headers(original)
    if is_known(if_none_match, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    part = requested_range(wanted, if_range, headers["ETag"], original.size)
    if part is None:
        opened = await gateway.originals.open(original.object_key)
        return StreamingResponse(opened.pieces, headers={**headers, "Content-Length": str(opened.size)})
    opened = await gateway.originals.open(original.object_key, (part.start, part.stop))
    headers |= {"Content-Length": str(opened.size), "Content-Range": part.content_range}
    return StreamingResponse(opened.pieces, 206, headers=headers)


@router.head("/documents/{document_id}/original", include_in_schema=False)
async def head_original(
    document_id: UUID,
    caller: Reader,
    gateway: TheGateway,
    version: VersionToRead = None,
    if_none_match: Annotated[str | None, Header(max_length=1_000)] = None,
) -> Response:
    """What `GET` would say of the whole file."""
    original = await gateway.documents.original(caller.principal, document_id, version)
    headers = _headers(original)
    if is_known(if_none_match, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    await gateway.originals.require(original.object_key)
    return Response(headers={**headers, "Content-Length": str(original.size)})


def _headers(original: OriginalFile) -> dict[str, str]:
    return {
        "Content-Type": _MEDIA_TYPES.get(original.file_type or "", _ANY),
        # Always a download: a page that somebody uploaded must not run with this address's rights.
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(original.file_name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "ETag": f'"{original.sha256.hex()}"',
        "Accept-Ranges": "bytes",
        # May be kept, by the caller alone, and is asked for again each time: a key may have lost its rights.
        "Cache-Control": "private, no-cache",
        "X-Document-Version": str(original.version),
    }
