"""Files come in: `POST /v1/documents` and `PUT /v1/documents/{id}/content`."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError

from skillnet_common.contracts.documents import UploadReply
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions import UploadOutcome, UploadResult
from skillnet_gateway.authentication import API_PREFIX, Writer
from skillnet_gateway.bodies import require_size, watched
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.parameters import UploadParameters, VersionParameters
from skillnet_gateway.problems import problem_responses
from skillnet_gateway.uploads import links_of, new_target

router = APIRouter(prefix=API_PREFIX, tags=["documents"])

_KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[\x21-\x7e]{1,200}$",
        description="A retry with the same key does nothing again and gets the first reply.",
    ),
]


async def _only_key(request: Request, key: _KeyHeader = None) -> str | None:
    """The header's value; of two keys nobody could say which one a retry is to match."""
    if len(request.headers.getlist("Idempotency-Key")) > 1:
        fault = {"type": "repeated", "loc": ("header", "Idempotency-Key"), "msg": "The header may be given only once"}
        raise RequestValidationError([fault])
    return key


IdempotencyKey = Annotated[str | None, Depends(_only_key)]

_STATUS = {UploadOutcome.CREATED: 201, UploadOutcome.NEW_VERSION: 202, UploadOutcome.UNCHANGED: 200}

_FILE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file's bytes, as they are: not a form.",
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary"},
                "examples": {
                    "Markdown": {
                        "summary": "curl --data-binary @devoluciones.md",
                        "value": "# Devoluciones\n\nEl cliente tiene 30 días.\n",
                    }
                },
            }
        },
    }
}
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {"model": UploadReply, "description": "Unchanged: the same bytes are there already."},
    202: {"model": UploadReply, "description": "Accepted as a new version; the live one serves until it is ready."},
    **problem_responses(
        ErrorCode.UNAUTHORIZED,
        ErrorCode.FORBIDDEN,
        ErrorCode.IDEMPOTENCY_KEY_REUSED,
        ErrorCode.PAYLOAD_TOO_LARGE,
        ErrorCode.UNSUPPORTED_TYPE,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.EMPTY_FILE,
        ErrorCode.UNAVAILABLE,
    ),
}


@router.post(
    "/documents",
    status_code=201,
    response_model=UploadReply,
    responses={201: {"description": "Accepted as a new document."}, **_REPLIES},
    openapi_extra=_FILE_BODY,
    summary="Upload a document, or a new version of the one with this key",
)
async def upload_document(
    request: Request,
    caller: Writer,
    gateway: TheGateway,
    parameters: Annotated[UploadParameters, Query()],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """The same bytes again only update what is said of the document.

    A key limited to groups gets `forbidden` for a `source` and `external_key` that are not its own to write to: they
    are taken, or were before a deletion, by a document of other groups.
    """
    require_plain_body(request)
    require_size(request.headers.get("content-length"), gateway.max_upload_bytes)
    result = await gateway.uploads.receive(
        caller.principal,
        new_target(parameters.source, parameters.external_key, parameters.filename),
        parameters,
        watched(request.stream(), gateway.upload_idle_seconds),
        idempotency_key=idempotency_key,
    )
    return _reply(result)


@router.put(
    "/documents/{document_id}/content",
    status_code=202,
    response_model=UploadReply,
    responses={**_REPLIES, **problem_responses(ErrorCode.NOT_FOUND)},
    openapi_extra=_FILE_BODY,
    summary="Upload a new version of a known document",
)
async def upload_version(
    request: Request,
    document_id: UUID,
    caller: Writer,
    gateway: TheGateway,
    parameters: Annotated[VersionParameters, Query()],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """The document keeps its source and external key."""
    require_plain_body(request)
    require_size(request.headers.get("content-length"), gateway.max_upload_bytes)
    target = await gateway.documents.upload_target(caller.principal, document_id, parameters.filename)
    body = watched(request.stream(), gateway.upload_idle_seconds)
    result = await gateway.uploads.receive(
        caller.principal, target, parameters, body, idempotency_key=idempotency_key
    )
    return _reply(result)


def require_plain_body(request: Request) -> None:
    """Refuses a form: RequestError `unsupported_type`."""
    if request.headers.get("content-type", "").strip().lower().startswith("multipart/"):
        raise RequestError(
            ErrorCode.UNSUPPORTED_TYPE,
            "Send the file's bytes as the body, not a form (with curl: --data-binary @file, not -F).",
        )


def _reply(result: UploadResult) -> Response:
    links = links_of(result.document_id)
    reply = UploadReply(
        document_id=result.document_id,
        version=result.version,
        outcome=result.outcome,
        replayed=result.replayed,
        links=links,
    )
    return Response(
        reply.model_dump_json(),
        _STATUS[result.outcome],
        headers={"Location": links["self"]},
        media_type="application/json",
    )
