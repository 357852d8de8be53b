"""From an HTTP response to a model or an error; shared by the sync and the async client."""

from __future__ import annotations

from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import ApiRequest
from skillnet_common.contracts.answers import AskEvent
from skillnet_common.contracts.bulk import BULK_LINE, BulkFile, BulkSummary
from skillnet_common.contracts.problems import PROBLEM_MEDIA_TYPE, Problem
from skillnet_common.contracts.progress import ProgressEvent
from skillnet_common.errors import ErrorCode

Reply = TypeVar("Reply", bound=BaseModel)
Event = TypeVar("Event", AskEvent, ProgressEvent)


def read_reply(response: httpx.Response, reply_type: type[Reply]) -> Reply:
    """The model in the body. Raises SkillnetApiError for an error reply or one of another form."""
    raise_for_problem(response)
    try:
        return reply_type.model_validate_json(response.content)
    except ValidationError as error:
        raise SkillnetApiError(
            ErrorCode.INTERNAL_ERROR,
            response.status_code,
            f"The reply from {response.url} is not what this client understands. Is it a SkillNet gateway"
            " of the same release?",
        ) from error


def raise_for_problem(response: httpx.Response) -> None:
    """Raises SkillnetApiError unless the status is a success. The body must have been read."""
    if response.is_success:
        return
    if response.headers.get("content-type", "").partition(";")[0] == PROBLEM_MEDIA_TYPE:
        raise error_of(Problem.model_validate_json(response.content))
    raise SkillnetApiError(
        ErrorCode.UNAVAILABLE if response.status_code >= 500 else ErrorCode.INVALID_REQUEST,
        response.status_code,
        f"{response.url} answered {response.status_code} {response.reason_phrase}.",
    )


def read_event(line: str, kind: type[Event]) -> Event | None:
    """The event of one line of a stream; None for the lines around it. Raises what an event reports."""
    if not line.startswith("data:"):
        return None
    event = kind.model_validate_json(line.removeprefix("data:"))
    if event.problem is not None:
        raise error_of(event.problem)
    return event


def read_line(line: str) -> BulkFile | BulkSummary | None:
    """The model of one line of a bulk upload's reply; None for a sign of life."""
    return BULK_LINE.validate_json(line) if line.strip() else None


def cut_short() -> SkillnetApiError:
    """Where a bulk upload's reply has no summary."""
    return SkillnetApiError(
        ErrorCode.UNAVAILABLE, None, "The reply was cut short. Send the archive again: what was done stays unchanged."
    )


def error_of(problem: Problem) -> SkillnetApiError:
    """The problem as an exception."""
    return SkillnetApiError(
        problem.code,
        problem.status,
        problem.detail,
        request_id=problem.request_id,
        errors=problem.errors or (),
        details=problem.details,
    )


def is_repeated_delete(request: ApiRequest, response: httpx.Response, attempt: int) -> bool:
    """Whether it is gone because an earlier attempt, whose reply was lost, deleted it. Attempts count from 0."""
    return request.method == "DELETE" and attempt > 0 and response.status_code == httpx.codes.NOT_FOUND


def unreachable(error: httpx.TransportError, base_url: httpx.URL) -> SkillnetApiError:
    """The error for a call that got no reply."""
    if isinstance(error, httpx.TimeoutException):
        return SkillnetApiError(ErrorCode.TIMEOUT, None, f"{base_url} did not answer in time.")
    return SkillnetApiError(
        ErrorCode.UNAVAILABLE, None, f"{base_url} cannot be reached ({error}). Is the gateway running?"
    )
