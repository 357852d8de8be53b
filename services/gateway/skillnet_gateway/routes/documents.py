"""Documents are listed, looked at, deleted; versions under way are cancelled."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query

from skillnet_common.contracts.documents import DocumentChange, DocumentDetail, DocumentPage
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Editor, Reader, Writer
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.parameters import DocumentFilter
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["documents"], route_class=BoundedRoute)

VersionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]

_COMMON = (ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INVALID_REQUEST, ErrorCode.UNAVAILABLE)

_CHANGES: Any = {
    "title and courses": {"value": {"title": "Devoluciones y cambios", "courses": ["onboarding", "tienda"]}},
    "limited to a group": {"value": {"audience": ["tienda"]}},
    "for everybody, without a subject": {"value": {"audience": None, "subject_id": None}},
    "metadata": {"value": {"metadata": {"departamento": "ventas", "revisado": 2027}}},
}


@router.get("/documents", responses=problem_responses(*_COMMON), summary="List documents")
async def list_documents(
    caller: Reader, gateway: TheGateway, wanted: Annotated[DocumentFilter, Query()]
) -> DocumentPage:
    """Last created first, page by page."""
    return await gateway.documents.page(caller.principal, wanted)


@router.get(
    "/documents/{document_id}",
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND),
    summary="A document with its versions, their errors and how far the newest is",
)
async def get_document(document_id: UUID, caller: Reader, gateway: TheGateway) -> DocumentDetail:
    """Holds at most the last 50 versions."""
    return await gateway.documents.detail(caller.principal, document_id)


@router.patch(
    "/documents/{document_id}",
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND, ErrorCode.MALFORMED_JSON, ErrorCode.PAYLOAD_TOO_LARGE),
    summary="Change what is said of a document: title, classification, courses, audience, metadata",
)
async def change_document(
    document_id: UUID,
    change: Annotated[DocumentChange, Body(openapi_examples=_CHANGES)],
    caller: Editor,
    gateway: TheGateway,
) -> DocumentDetail:
    """Needs the scopes `documents:write` and `documents:read`: the reply shows the document. No new version: nothing
    is read anew, and it holds at once. Where a version is live, others hear of it as `document.updated` with the
    change `metadata`. A key limited to groups changes the audience only of what is for no others."""
    return await gateway.documents.change(caller.principal, document_id, change)


@router.delete(
    "/documents/{document_id}",
    status_code=204,
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND),
    summary="Delete a document with all its versions",
)
async def delete_document(document_id: UUID, caller: Writer, gateway: TheGateway) -> None:
    """It is gone from every search at once."""
    await gateway.documents.delete(caller.principal, document_id)


@router.post(
    "/documents/{document_id}/versions/{version}/cancel",
    status_code=204,
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND, ErrorCode.VERSION_ENDED),
    summary="End a version that is under way",
)
async def cancel_version(document_id: UUID, version: VersionNumber, caller: Writer, gateway: TheGateway) -> None:
    """The live version goes on serving."""
    await gateway.documents.cancel(caller.principal, document_id, version)
