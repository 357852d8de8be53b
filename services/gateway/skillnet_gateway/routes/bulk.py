"""An archive comes in: `POST /v1/documents/bulk`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from skillnet_common.contracts.bulk import NDJSON
from skillnet_common.errors import ErrorCode
from skillnet_gateway.archives import Archive
from skillnet_gateway.authentication import API_PREFIX, Caller, Writer
from skillnet_gateway.bodies import temporary_file
from skillnet_gateway.gateway import Gateway, TheGateway
from skillnet_gateway.parameters import BulkParameters
from skillnet_gateway.problems import problem_responses
from skillnet_gateway.routes.uploads import require_plain_body
from skillnet_gateway.server_sent import PlacedStream, with_heartbeats

router = APIRouter(prefix=API_PREFIX, tags=["documents"])

_ID = "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10"
_EXAMPLE = f"""\
{{"kind": "file", "path": "tienda/devoluciones.pdf", "outcome": "created", "document_id": "{_ID}", "version": 1}}
{{"kind": "file", "path": "vacio.md", "outcome": "refused", "code": "empty_file", "detail": "The file is empty."}}
{{"kind": "summary", "counts": {{"created": 1, "refused": 1}}, "not_tried": 0}}
"""
_ARCHIVE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A ZIP archive, as it is: not a form.",
        "content": {
            "application/zip": {
                "schema": {"type": "string", "format": "binary"},
                "examples": {"archive": {"summary": "curl --data-binary @todo.zip", "value": "PK\x03\x04…"}},
            }
        },
    }
}
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": (
            "One line of JSON a file (`BulkFile`), in the archive's order, as soon as it is done, and a last one"
            " (`BulkSummary`). Empty lines are signs of life."
        ),
        "content": {
            NDJSON: {
                "schema": {
                    "oneOf": [
                        {"$ref": "#/components/schemas/BulkFile"},
                        {"$ref": "#/components/schemas/BulkSummary"},
                    ]
                },
                "example": _EXAMPLE,
            }
        },
    },
    **problem_responses(
        ErrorCode.UNAUTHORIZED,
        ErrorCode.FORBIDDEN,
        ErrorCode.PAYLOAD_TOO_LARGE,
        ErrorCode.UNSUPPORTED_TYPE,
        ErrorCode.CORRUPT_FILE,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.EMPTY_FILE,
        ErrorCode.TIMEOUT,
        ErrorCode.UNAVAILABLE,
    ),
}


@router.post(
    "/documents/bulk",
    response_class=Response,
    responses=_REPLIES,
    openapi_extra=_ARCHIVE_BODY,
    summary="Upload many files as one ZIP archive",
)
async def upload_archive(
    request: Request, caller: Writer, gateway: TheGateway, parameters: Annotated[BulkParameters, Query()]
) -> Response:
    """Each file becomes a document with its path in the archive as its external key, or that document's next version,
    as if it had been uploaded by itself. One that is refused stops no other. Sending an archive again finds what is
    there `unchanged`: that is how to go on after a break. Who leaves before the summary ends it."""
    require_plain_body(request)
    gateway.bulk.require_taken(caller.principal, parameters, request.headers.get("content-length"))
    with ExitStack() as stack:
        stack.enter_context(gateway.bulk.place(caller.principal.org_id))
        path = stack.enter_context(temporary_file())
        archive = await gateway.bulk.open(request.stream(), path)
        stack.callback(archive.close)
        return PlacedStream(_lines(gateway, caller, parameters, archive), stack.pop_all(), NDJSON)


async def _lines(
    gateway: Gateway, caller: Caller, parameters: BulkParameters, archive: Archive
) -> AsyncGenerator[str, None]:
    lines = with_heartbeats(gateway.bulk.take(caller.principal, parameters, archive), gateway.heartbeat_seconds)
    try:
        async for line in lines:
            yield "\n" if line is None else line.model_dump_json(exclude_none=True) + "\n"
    finally:
        await lines.aclose()
