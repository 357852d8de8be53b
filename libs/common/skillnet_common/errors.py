"""Errors with stable codes. A code is part of the public contract: it is never renamed or reused."""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """The closed list of codes that users, services and logs see."""

    # what can be wrong with a document (permanent: never retried)
    EMPTY_FILE = "empty_file"
    UNSUPPORTED_TYPE = "unsupported_type"
    PASSWORD_REQUIRED = "password_required"  # noqa: S105 - a code, not a password
    CORRUPT_FILE = "corrupt_file"
    NO_PAGES = "no_pages"
    NEEDS_OCR = "needs_ocr"
    NOTHING_READABLE = "nothing_readable"
    TOO_MANY_PAGES = "too_many_pages"
    DOCUMENT_TOO_LARGE = "document_too_large"
    UNSAFE_ARCHIVE = "unsafe_archive"
    PARSE_TIMEOUT = "parse_timeout"
    PARSE_MEMORY = "parse_memory"
    PARSER_CRASHED = "parser_crashed"
    ORIGINAL_MISSING = "original_missing"
    TEXT_TOO_LONG = "text_too_long"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    CANCELLED = "cancelled"
    CONSENT_REQUIRED = "consent_required"
    # what can be wrong with a request
    INVALID_REQUEST = "invalid_request"
    MALFORMED_JSON = "malformed_json"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    QUERY_EMPTY = "query_empty"
    VERSION_ENDED = "version_ended"
    VERSION_OUTRUN = "version_outrun"
    NOT_QUARANTINED = "not_quarantined"
    LAST_ADMIN_KEY = "last_admin_key"
    INVALID_TEMPLATE = "invalid_template"
    CONTENTS_MISSING = "contents_missing"
    RANGE_NOT_SATISFIABLE = "range_not_satisfiable"
    MANAGED_BY_COURSE = "managed_by_course"
    # what can be wrong with the system
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    MODEL_MISMATCH = "model_mismatch"
    TOPOLOGY_DRIFT = "topology_drift"
    MISCONFIGURED = "misconfigured"
    ALREADY_RUNNING = "already_running"
    START_FAILED = "start_failed"
    PROVIDER_FAILED = "provider_failed"
    PROVIDER_REFUSED = "provider_refused"
    PROVIDER_TIMEOUT = "provider_timeout"
    INTERNAL_ERROR = "internal_error"


DOCUMENT_CODES = frozenset(
    {
        ErrorCode.EMPTY_FILE,
        ErrorCode.UNSUPPORTED_TYPE,
        ErrorCode.PASSWORD_REQUIRED,
        ErrorCode.CORRUPT_FILE,
        ErrorCode.NO_PAGES,
        ErrorCode.NEEDS_OCR,
        ErrorCode.NOTHING_READABLE,
        ErrorCode.TOO_MANY_PAGES,
        ErrorCode.DOCUMENT_TOO_LARGE,
        ErrorCode.UNSAFE_ARCHIVE,
        ErrorCode.PARSE_TIMEOUT,
        ErrorCode.PARSE_MEMORY,
        ErrorCode.PARSER_CRASHED,
        ErrorCode.ORIGINAL_MISSING,
        ErrorCode.TEXT_TOO_LONG,
    }
)
"""What a document itself can be at fault for: only these fail a version at once."""


class SkillnetError(Exception):
    """An error with a stable code and a sentence for a person.

    `details` is machine-readable and safe to show to the caller: never content of a document, never a secret.
    """

    def __init__(self, code: ErrorCode, message: str, **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class PermanentFault(SkillnetError):
    """Trying again cannot help. A version fails with a code of `DOCUMENT_CODES`, or, to be replayed later, with
    `consent_required`; with any other the deployment is at fault, and work waits until a person has mended it."""


class PassingFault(SkillnetError):
    """Trying again later may help: the work is retried with delay and jitter."""


class RequestError(SkillnetError):
    """The caller's request is at fault."""
