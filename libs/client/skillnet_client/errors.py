"""What goes wrong when calling the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillnet_common.contracts.problems import InvalidField


class SkillnetApiError(Exception):
    """An error reply, or no reply at all.

    `code` is a code of `skillnet_common.errors.ErrorCode`: stable, made to be compared. `status` is the HTTP
    status, None where nothing was answered (`unavailable`, `timeout`). `detail` is a sentence for a person.
    """

    def __init__(
        self,
        code: str,
        status: int | None,
        detail: str,
        *,
        request_id: str | None = None,
        errors: Sequence[InvalidField] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{detail} [{code}]")
        self.code = code
        self.status = status
        self.detail = detail
        self.request_id = request_id
        self.errors = tuple(errors)
        self.details = details or {}
