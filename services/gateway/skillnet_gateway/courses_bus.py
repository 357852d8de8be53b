"""Courses on the bus (`courses.v1.*`): the credential is verified, the body read, the course written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from pydantic import BaseModel

from skillnet_common.auth import Authenticator, Principal, Scope
from skillnet_common.contracts import subjects
from skillnet_common.contracts.courses import CourseDeletion, CourseUpsert
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_common.messaging.requester import AUTHORIZATION_HEADER
from skillnet_common.messaging.responder import RequestHandler
from skillnet_gateway.courses import Courses

AnyRequest = TypeVar("AnyRequest", bound=BaseModel)


def course_handlers(courses: Courses, authenticator: Authenticator) -> dict[str, RequestHandler]:
    """A handler for each subject. The tenant comes from the credential, never from the body."""

    async def upsert(principal: Principal, request: CourseUpsert) -> BaseModel:
        return await courses.put(principal, request.course_id, request.course)

    async def delete(principal: Principal, request: CourseDeletion) -> BaseModel:
        return await courses.delete(principal, request.course_id)

    return {
        subjects.COURSE_UPSERT: _handler(CourseUpsert, upsert, authenticator),
        subjects.COURSE_DELETE: _handler(CourseDeletion, delete, authenticator),
    }


def _handler(
    request_type: type[AnyRequest],
    answer: Callable[[Principal, AnyRequest], Awaitable[BaseModel]],
    authenticator: Authenticator,
) -> RequestHandler:
    async def handle(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        try:
            principal = await authenticator.verify(headers.get(AUTHORIZATION_HEADER))
            principal.require(Scope.WRITE)
            return await answer(principal, request_type.model_validate_json(body))
        except CONNECTION_ERRORS as error:
            raise PassingFault(ErrorCode.UNAVAILABLE, "The service cannot reach its database just now.") from error

    return handle
