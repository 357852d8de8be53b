"""How the calls on courses look on the wire."""

from __future__ import annotations

from urllib.parse import quote

from skillnet_client.requests.base import ApiRequest, Params
from skillnet_common.contracts.courses import CoursePut

_PATH = "/v1/courses"


def page(cursor: str | None, limit: int) -> ApiRequest:
    """`GET /v1/courses`."""
    params: Params = [("limit", limit)]
    if cursor is not None:
        params.append(("cursor", cursor))
    return ApiRequest("GET", _PATH, params)


def one(course_id: str) -> ApiRequest:
    """`GET /v1/courses/{id}`."""
    return ApiRequest("GET", _place(course_id))


def put(course_id: str, course: CoursePut) -> ApiRequest:
    """`PUT /v1/courses/{id}`."""
    return ApiRequest("PUT", _place(course_id), json=course.model_dump_json(exclude_unset=True))


def delete(course_id: str) -> ApiRequest:
    """`DELETE /v1/courses/{id}`."""
    return ApiRequest("DELETE", _place(course_id))


def _place(course_id: str) -> str:
    """An id may hold any character."""
    return f"{_PATH}/{quote(str(course_id), safe='')}"
