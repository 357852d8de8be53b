"""The routes of the HTTP API, one file a subject."""

from fastapi import APIRouter

from skillnet_gateway.authentication import key_scheme
from skillnet_gateway.routes import (
    account,
    ask,
    bulk,
    contents,
    courses,
    documents,
    keys,
    ops,
    originals,
    progress,
    quarantine,
    reprocessing,
    retrieval,
    uploads,
    usage,
)


def api_router() -> APIRouter:
    """Everything that needs a key."""
    router = APIRouter(dependencies=[key_scheme])
    on_documents = (uploads, bulk, reprocessing, documents, contents, originals, progress)
    for part in (*on_documents, courses, retrieval, ask, account, keys, usage, quarantine):
        router.include_router(part.router)
    return router


def ops_router() -> APIRouter:
    """Health and metrics."""
    return ops.router
