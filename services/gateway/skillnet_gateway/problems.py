"""Every error as RFC 9457 problem details, with the status of each code in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import structlog
from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from skillnet_common.contracts.problems import PROBLEM_MEDIA_TYPE, InvalidField, Problem
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import ErrorCode, SkillnetError

log = structlog.get_logger(__name__)

RETRY_AFTER_SECONDS = 2

STATUS: Mapping[ErrorCode, int] = {
    ErrorCode.EMPTY_FILE: 422,
    ErrorCode.UNSUPPORTED_TYPE: 415,
    ErrorCode.PASSWORD_REQUIRED: 422,
    ErrorCode.CORRUPT_FILE: 422,
    ErrorCode.NO_PAGES: 422,
    ErrorCode.NEEDS_OCR: 422,
    ErrorCode.NOTHING_READABLE: 422,
    ErrorCode.TOO_MANY_PAGES: 422,
    ErrorCode.DOCUMENT_TOO_LARGE: 422,
    ErrorCode.TEXT_TOO_LONG: 422,
    ErrorCode.UNSAFE_ARCHIVE: 422,
    ErrorCode.PARSE_TIMEOUT: 422,
    ErrorCode.PARSE_MEMORY: 422,
    ErrorCode.PARSER_CRASHED: 422,
    ErrorCode.ORIGINAL_MISSING: 410,
    ErrorCode.ATTEMPTS_EXHAUSTED: 422,
    ErrorCode.CANCELLED: 409,
    ErrorCode.CONSENT_REQUIRED: 403,
    ErrorCode.INVALID_REQUEST: 422,
    ErrorCode.MALFORMED_JSON: 400,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.IDEMPOTENCY_KEY_REUSED: 409,
    ErrorCode.QUERY_EMPTY: 422,
    ErrorCode.VERSION_ENDED: 409,
    ErrorCode.VERSION_OUTRUN: 409,
    ErrorCode.NOT_QUARANTINED: 409,
    ErrorCode.LAST_ADMIN_KEY: 409,
    ErrorCode.INVALID_TEMPLATE: 422,
    ErrorCode.CONTENTS_MISSING: 409,
    ErrorCode.RANGE_NOT_SATISFIABLE: 416,
    ErrorCode.MANAGED_BY_COURSE: 409,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.TIMEOUT: 504,
    ErrorCode.MODEL_MISMATCH: 503,
    ErrorCode.TOPOLOGY_DRIFT: 503,
    ErrorCode.MISCONFIGURED: 500,
    ErrorCode.ALREADY_RUNNING: 500,
    ErrorCode.START_FAILED: 500,
    ErrorCode.PROVIDER_FAILED: 502,
    ErrorCode.PROVIDER_REFUSED: 502,
    ErrorCode.PROVIDER_TIMEOUT: 504,
    ErrorCode.INTERNAL_ERROR: 500,
}
"""The HTTP status of every code."""

_CODES_OF_STATUS = {
    400: ErrorCode.MALFORMED_JSON,
    404: ErrorCode.NOT_FOUND,
    405: ErrorCode.METHOD_NOT_ALLOWED,
    413: ErrorCode.PAYLOAD_TOO_LARGE,
}
_DETAILS_OF_CODE = {
    ErrorCode.MALFORMED_JSON: "The body is not valid JSON in UTF-8.",
    ErrorCode.NOT_FOUND: "There is nothing at this address.",
    ErrorCode.METHOD_NOT_ALLOWED: "This address does not take this method.",
    ErrorCode.PAYLOAD_TOO_LARGE: "The body is too large.",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as the caller is to see it, before it is tied to a request."""

    code: ErrorCode
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)
    errors: list[InvalidField] | None = None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return STATUS[self.code]

    def problem(self, *, instance: str, request_id: str) -> Problem:
        """The body of the reply."""
        return Problem(
            type=f"urn:skillnet:error:{self.code}",
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            detail=self.detail,
            code=self.code,
            instance=instance,
            request_id=request_id,
            errors=self.errors,
            details=self.details,
        )


def fault_of(error: Exception) -> Fault:
    """What the caller is told of an exception. One that nobody expected is logged and told as `internal_error`."""
    match error:
        case SkillnetError():
            return Fault(error.code, error.message, _headers(error.code, error.details), details=dict(error.details))
        case RequestValidationError():
            return _invalid(error)
        case StarletteHTTPException():
            return _http(error)
    if isinstance(error, CONNECTION_ERRORS):
        log.warning("dependency_unavailable", error=repr(error))
        return Fault(
            ErrorCode.UNAVAILABLE, "The service cannot reach its database just now.", _headers(ErrorCode.UNAVAILABLE)
        )
    log.error("unexpected_error", exc_info=error)
    return Fault(ErrorCode.INTERNAL_ERROR, "An unexpected error; it has been logged under the request id.")


def problem_responses(*codes: ErrorCode) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of the errors that a route can reply."""
    by_status: dict[int, list[ErrorCode]] = {}
    for code in codes:
        by_status.setdefault(STATUS[code], []).append(code)
    return {
        status: {
            "description": ", ".join(f"`{code}`" for code in listed),
            "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, listed in by_status.items()
    }


def _headers(code: ErrorCode, details: Mapping[str, Any] = MappingProxyType({})) -> dict[str, str]:
    if code is ErrorCode.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="skillnet"'}
    if code is ErrorCode.RANGE_NOT_SATISFIABLE:
        return {"Content-Range": f"bytes */{details['size']}"}
    if STATUS[code] == HTTPStatus.SERVICE_UNAVAILABLE:
        return {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return {}


def _invalid(error: RequestValidationError) -> Fault:
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return Fault(ErrorCode.MALFORMED_JSON, _DETAILS_OF_CODE[ErrorCode.MALFORMED_JSON])
    # The caller's own values are not echoed: they may be somebody else's.
    fields = [InvalidField(location=list(one["loc"]), code=one["type"], message=one["msg"]) for one in found]
    named = ", ".join(sorted({".".join(map(str, one.location[1:])) or str(one.location[0]) for one in fields}))
    return Fault(ErrorCode.INVALID_REQUEST, f"The request does not have its form: {named}.", errors=fields)


def _http(error: StarletteHTTPException | HTTPException) -> Fault:
    code = _CODES_OF_STATUS.get(error.status_code)
    if code is None:
        log.error("unexpected_error", exc_info=error)
        return Fault(ErrorCode.INTERNAL_ERROR, "An unexpected error; it has been logged under the request id.")
    return Fault(code, _DETAILS_OF_CODE[code], dict(error.headers or {}))
