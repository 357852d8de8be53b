"""The HTTP API as an ASGI app."""

from __future__ import annotations

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from skillnet_common.contracts.answers import AskEvent
from skillnet_common.contracts.bulk import BulkFile, BulkSummary
from skillnet_common.contracts.problems import Problem
from skillnet_common.contracts.progress import ProgressEvent
from skillnet_gateway.authentication import RequireKey
from skillnet_gateway.examples import add_reply_examples
from skillnet_gateway.frame import RequestFrame, problem_response
from skillnet_gateway.gateway import Gateway
from skillnet_gateway.problems import fault_of
from skillnet_gateway.routes import api_router, ops_router
from skillnet_gateway.routes.web import web_router

_ABOUT = """\
Upload documents, find the passages that answer a question, and get an answer with checked citations.

Every address under `/v1` needs an API key: `Authorization: Bearer <key>`. Errors are RFC 9457 problem details with
a stable `code`.
"""


def create_api(gateway: Gateway) -> FastAPI:
    """The app. From the outside in: request id and errors, then the key, then the routes."""
    app = FastAPI(
        title="SkillNet retrieval",
        version="1",
        description=_ABOUT,
        # The usual pages of documentation load scripts from elsewhere; the schema is enough for any viewer.
        docs_url=None,
        redoc_url=None,
    )
    app.state.gateway = gateway
    app.include_router(api_router())
    app.include_router(ops_router())
    app.include_router(web_router)
    app.add_middleware(RequireKey, authenticator=gateway.authenticator)
    app.add_middleware(RequestFrame)
    # The framework would answer these in a form of its own before they reach the frame.
    for kind in (HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _as_problem)
    _publish_schemas(app)
    return app


async def _as_problem(request: Request, error: Exception) -> Response:
    request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
    return problem_response(fault_of(error), instance=request.url.path, request_id=request_id)


def _publish_schemas(app: FastAPI) -> None:
    """Describes what no route returns as its model: errors, events and lines of streams. Adds examples."""
    description = app.openapi()
    components = description.setdefault("components", {}).setdefault("schemas", {})
    for model in (Problem, AskEvent, ProgressEvent, BulkFile, BulkSummary):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        for name, part in {**schema.pop("$defs", {}), model.__name__: schema}.items():
            components.setdefault(name, part)
    add_reply_examples(description)
