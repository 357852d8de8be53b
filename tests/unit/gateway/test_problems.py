"""The one table of statuses, and what the caller is told of an exception."""

from __future__ import annotations

import asyncpg
import pytest
from structlog.testing import capture_logs

from skillnet_common.errors import ErrorCode, PassingFault, RequestError
from skillnet_gateway.problems import STATUS, fault_of, problem_responses


def test_every_code_has_a_status() -> None:
    assert set(STATUS) == set(ErrorCode)
    assert all(400 <= status < 600 for status in STATUS.values())


def test_the_callers_faults_are_4xx_and_the_systems_5xx() -> None:
    system = {
        ErrorCode.UNAVAILABLE,
        ErrorCode.TIMEOUT,
        ErrorCode.MODEL_MISMATCH,
        ErrorCode.TOPOLOGY_DRIFT,
        ErrorCode.MISCONFIGURED,
        ErrorCode.ALREADY_RUNNING,
        ErrorCode.START_FAILED,
        ErrorCode.PROVIDER_FAILED,
        ErrorCode.PROVIDER_REFUSED,
        ErrorCode.PROVIDER_TIMEOUT,
        ErrorCode.INTERNAL_ERROR,
    }
    assert {code for code, status in STATUS.items() if status >= 500} == system


def test_a_known_error_keeps_its_words_and_details() -> None:
    fault = fault_of(RequestError(ErrorCode.PAYLOAD_TOO_LARGE, "Demasiado.", max_bytes=3))
    assert (fault.status, fault.detail, fault.details) == (413, "Demasiado.", {"max_bytes": 3})


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError("localhost:5432 secreto"),
        asyncpg.CannotConnectNowError("starting up"),
        asyncpg.InterfaceError("connection is closed"),
        TimeoutError(),
        PassingFault(ErrorCode.UNAVAILABLE, "La cola no responde."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_is_away_is_unavailable_for_now(error: Exception) -> None:
    with capture_logs():
        fault = fault_of(error)
    assert (fault.code, fault.status) == (ErrorCode.UNAVAILABLE, 503)
    assert int(fault.headers["Retry-After"]) > 0
    assert "secreto" not in fault.detail


def test_an_unexpected_error_is_logged_and_not_told() -> None:
    with capture_logs() as logs:
        fault = fault_of(KeyError("contraseña"))
    assert (fault.code, fault.status) == (ErrorCode.INTERNAL_ERROR, 500)
    assert "contraseña" not in fault.detail
    assert isinstance(logs[0]["exc_info"], KeyError)


def test_a_problem_says_what_and_where() -> None:
    problem = fault_of(RequestError(ErrorCode.NOT_FOUND, "No está.")).problem(instance="/v1/x", request_id="r1")
    assert (problem.type, problem.title, problem.status) == ("urn:skillnet:error:not_found", "Not Found", 404)
    assert (problem.instance, problem.request_id, problem.errors) == ("/v1/x", "r1", None)


def test_responses_are_described_once_a_status() -> None:
    described = problem_responses(ErrorCode.EMPTY_FILE, ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND)
    assert described[422]["description"] == "`empty_file`, `invalid_request`"
    assert list(described) == [422, 404]
