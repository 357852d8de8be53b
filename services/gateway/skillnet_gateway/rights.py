"""What a key that is limited to groups may write to."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg

from skillnet_common.auth import Principal
from skillnet_common.contracts.courses import COURSE_SOURCE
from skillnet_common.errors import ErrorCode, RequestError


def require_own_groups(principal: Principal, audience: Sequence[str] | None) -> None:
    """A key that is limited to groups may neither lift an audience nor name groups that are not its own.

    Checked before any document is looked for, so that the reply tells of none.
    """
    if principal.audience is None or audience is None:
        return
    if not audience or not set(audience) <= set(principal.audience):
        raise _outside_groups()


def require_writable(principal: Principal, document: asyncpg.Record | None, *, must_exist: bool) -> None:
    """A key that is limited to groups may not replace what it cannot see, nor bring it back once deleted."""
    if must_exist and (document is None or document["deleted_at"] is not None):
        raise document_not_found()
    if principal.audience is None:
        return
    if document is None:
        if not principal.audience:  # the document would have no group, and so be everybody's
            raise _outside_groups()
        return
    if document["audience"] is None or set(document["audience"]) & set(principal.audience):
        return
    if must_exist:
        raise document_not_found()
    raise RequestError(ErrorCode.FORBIDDEN, "This key may not write to this external_key.")


def require_audience_changeable(
    principal: Principal, document: asyncpg.Record | None, audience: Sequence[str] | None
) -> None:
    """A key that is limited to groups may not hide a document from others: neither from everybody nor from a group.

    `audience`: what is to become of it; None leaves it as it is. A deleted document is hidden already.
    """
    if principal.audience is None or audience is None or document is None or document["deleted_at"] is not None:
        return
    if document["audience"] is None or not set(document["audience"]) <= set(principal.audience):
        raise RequestError(
            ErrorCode.FORBIDDEN, "This document is also for others than this key's groups: its audience stays."
        )


def require_no_course(document: asyncpg.Record) -> None:
    """A course's words are changed and deleted with the course. RequestError `managed_by_course`."""
    if document["source"] == COURSE_SOURCE:
        raise RequestError(
            ErrorCode.MANAGED_BY_COURSE,
            "This document is a course's words: put or delete the course at /v1/courses instead.",
            course_id=document["external_key"],
        )


def document_not_found() -> RequestError:
    """The same for a document that never was, was deleted, is hidden from the asker, or is another tenant's."""
    return RequestError(ErrorCode.NOT_FOUND, "There is no such document.")


def _outside_groups() -> RequestError:
    return RequestError(ErrorCode.FORBIDDEN, "This key may give a document no audience but groups of its own.")
