"""What surrounds every request: its id, its errors as problems, its log line and its metrics."""

from __future__ import annotations

import re
import time
from http import HTTPStatus
from urllib.parse import unquote_to_bytes
from uuid import uuid4

import structlog
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skillnet_common.contracts.problems import PROBLEM_MEDIA_TYPE
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_gateway.problems import Fault, fault_of

log = structlog.get_logger(__name__)

REQUEST_ID_HEADER = "X-Request-Id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_CLIENT_CLOSED_REQUEST = 499
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
_QUIET = frozenset({"/livez", "/readyz", "/metrics"})

REQUESTS = Counter("skillnet_http_requests_total", "HTTP requests", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "skillnet_http_request_seconds",
    "Time from a request's headers to the end of its reply",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)


class RequestFrame:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, and answers what it raises as problem+json."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send, _request_id(scope))
        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=reply.request_id):
            try:
                _require_utf8(scope)
                await self._app(scope, receive, reply.send)
            except ClientDisconnect:
                reply.status = _CLIENT_CLOSED_REQUEST
            except Exception as error:
                fault = fault_of(error)
                if reply.status:
                    raise  # the reply is under way: cutting it short is all that is left to tell the caller
                response = problem_response(fault, instance=scope["path"], request_id=reply.request_id)
                await response(scope, receive, reply.send)
            _record(scope, reply.status, time.perf_counter() - started)


class _Reply:
    """Passes the reply on, with the request's id in its headers, and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID_HEADER] = self.request_id
            headers.setdefault("X-Content-Type-Options", "nosniff")
        await self._send(message)


def problem_response(fault: Fault, *, instance: str, request_id: str) -> Response:
    """The fault as an HTTP reply."""
    return Response(
        fault.problem(instance=instance, request_id=request_id).model_dump_json(exclude_none=True),
        fault.status,
        headers=dict(fault.headers),
        media_type=PROBLEM_MEDIA_TYPE,
    )


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex


def _require_utf8(scope: Scope) -> None:
    """The framework would replace what is not UTF-8 without a word, and store what nobody sent."""
    for part in (scope.get("raw_path") or b"", scope["query_string"]):
        decoded = unquote_to_bytes(part.replace(b"+", b" "))
        try:
            text = decoded.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RequestError(ErrorCode.INVALID_REQUEST, "The address is not valid UTF-8.") from error
        if "\0" in text:
            raise RequestError(ErrorCode.INVALID_REQUEST, "The address must not contain NUL characters.")


def _record(scope: Scope, status: int, seconds: float) -> None:
    method = scope["method"] if scope["method"] in _METHODS else "other"
    route = getattr(scope.get("route"), "path", "unknown")
    REQUESTS.labels(method, route, status).inc()
    REQUEST_SECONDS.labels(method, route).observe(seconds)
    level = log.debug if scope["path"] in _QUIET and status < HTTPStatus.INTERNAL_SERVER_ERROR else log.info
    level("request", method=scope["method"], path=scope["path"], status=status, ms=round(seconds * 1000, 1))
