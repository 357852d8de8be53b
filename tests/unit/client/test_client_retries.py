"""Which calls are sent again, and when."""

from __future__ import annotations

import httpx
import pytest

from skillnet_client.requests import ApiRequest
from skillnet_client.retries import RetryPolicy

READ = ApiRequest("GET", "/")
ASK = ApiRequest("POST", "/v1/ask", repeatable=False)
POLICY = RetryPolicy(retries=3, first_delay=0.2)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_passing_statuses_are_tried_again(status: int) -> None:
    assert POLICY.delay_after(READ, 0, httpx.Response(status)) is not None


@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 409, 413, 422, 500])
def test_other_statuses_stand(status: int) -> None:
    assert POLICY.delay_after(READ, 0, httpx.Response(status)) is None


def test_delays_double_and_end() -> None:
    delays = [POLICY.delay_after(READ, attempt, httpx.ConnectError("x")) for attempt in range(4)]
    assert delays[3] is None
    for delay, expected in zip(delays[:3], (0.2, 0.4, 0.8), strict=True):
        assert delay == pytest.approx(expected, rel=0.31)


def test_the_server_may_ask_for_more_patience_but_not_for_ever() -> None:
    def asked(seconds: str) -> float | None:
        return POLICY.delay_after(READ, 0, httpx.Response(503, headers={"Retry-After": seconds}))

    assert asked("4") == 4
    assert asked("3600") == 10
    assert asked("Wed, 21 Oct 2026 07:28:00 GMT") == pytest.approx(0.2, rel=0.31)


def test_what_costs_money_is_only_sent_again_where_it_was_not_begun() -> None:
    assert POLICY.delay_after(ASK, 0, httpx.ConnectError("x")) is not None
    assert POLICY.delay_after(ASK, 0, httpx.Response(503)) is not None
    assert POLICY.delay_after(ASK, 0, httpx.ReadTimeout("x")) is None
    assert POLICY.delay_after(ASK, 0, httpx.Response(504)) is None
