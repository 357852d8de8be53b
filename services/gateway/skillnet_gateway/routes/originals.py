"""The original files, as they were uploaded."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Reader
from skillnet_gateway.documents import OriginalFile
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["documents"])

_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "markdown": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
}
_ANY = "application/octet-stream"
_REPLY: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {_ANY: {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get(
    "/documents/{document_id}/original",
    response_class=StreamingResponse,
    responses={
        **_REPLY,
        **problem_responses(
            ErrorCode.UNAUTHORIZED,
            ErrorCode.FORBIDDEN,
            ErrorCode.NOT_FOUND,
            ErrorCode.ORIGINAL_MISSING,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.UNAVAILABLE,
        ),
    },
    summary="The original file of a version",
)
async def get_original(
    document_id: UUID,
    caller: Reader,
    gateway: TheGateway,
    version: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="Without it: the live version's, else the newest one's.")
    ] = None,
) -> StreamingResponse:
    """Always a download, with the SHA-256 as its ETag."""
    original = await gateway.documents.original(caller.principal, document_id, version)
    opened = await gateway.originals.open(original.object_key)
    return StreamingResponse(opened.pieces, headers={**_headers(original), "Content-Length": str(opened.size)})


def _headers(original: OriginalFile) -> dict[str, str]:
    return {
        "Content-Type": _MEDIA_TYPES.get(original.file_type or "", _ANY),
        # Always a download: a page that somebody uploaded must not run with this address's rights.
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(original.file_name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "ETag": f'"{original.sha256.hex()}"',
        "X-Document-Version": str(original.version),
    }
