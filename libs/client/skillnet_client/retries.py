"""When a call is sent again, and after how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import ApiRequest
from skillnet_common.errors import ErrorCode

_PASSING = frozenset({429, 502, 503, 504})
_LONGEST_DELAY = 10.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`retries` further attempts, each delay (seconds) twice the one before, with jitter."""

    retries: int = 3
    first_delay: float = 0.2

    def delay_after(
        self, request: ApiRequest, attempt: int, outcome: httpx.Response | httpx.TransportError
    ) -> float | None:
        """Seconds to wait before attempt + 1, or None where the outcome stands. Attempts count from 0."""
        if attempt >= self.retries or not _may_pass(request, outcome):
            return None
        asked = outcome.headers.get("retry-after", "") if isinstance(outcome, httpx.Response) else ""
        return min(max(self.pause(attempt), float(asked) if asked.isdigit() else 0.0), _LONGEST_DELAY)

    def pause(self, attempt: int) -> float:
        """Seconds, with jitter, after a failed attempt. Attempts count from 0."""
        jittered: float = self.first_delay * 2**attempt * random.uniform(0.7, 1.3)  # noqa: S311
        return min(jittered, _LONGEST_DELAY)

    def goes_on(self, error: SkillnetApiError, attempt: int) -> bool:
        """Whether a reply that broke off, or was refused for now, is to be taken up again. Attempts count from 0."""
        return attempt < self.retries and error.code in {ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT}


def _may_pass(request: ApiRequest, outcome: httpx.Response | httpx.TransportError) -> bool:
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in _PASSING and (request.repeatable or outcome.status_code in {429, 503})
    return request.repeatable or isinstance(outcome, httpx.ConnectError)
