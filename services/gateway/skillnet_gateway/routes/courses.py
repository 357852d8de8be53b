"""Courses are put whole, listed, shown and deleted."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query
from pydantic import StringConstraints

from skillnet_common.contracts.courses import MAX_COURSE_BYTES, Course, CoursePage, CoursePut, CourseReply
from skillnet_common.contracts.fields import Id
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_gateway.authentication import API_PREFIX, Reader, Writer
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses


class CourseRoute(BoundedRoute):
    """Takes a whole course in one body."""

    max_bytes = MAX_COURSE_BYTES


router = APIRouter(prefix=API_PREFIX, tags=["courses"], route_class=CourseRoute)

CourseId = Annotated[Id, Path(description="The platform's own id of the course.")]

_COMMON = (ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INVALID_REQUEST, ErrorCode.UNAVAILABLE)
_COURSES: Any = {
    "a module with two lessons": {
        "value": {
            "title": "Acogida en tienda",
            "description": "Lo que toda persona nueva debe saber.",
            "modules": [
                {
                    "module_id": "m1",
                    "title": "Caja",
                    "summary": "Abrir, cobrar, devolver.",
                    "lessons": [
                        {
                            "lesson_id": "l1",
                            "title": "Abrir la caja",
                            "content": "El fondo de caja es de 150 €. Se cuenta **dos veces**.",
                        },
                        {
                            "lesson_id": "l2",
                            "title": "Devoluciones",
                            "summary": "Plazos y requisitos.",
                            "documents": [{"external_key": "tienda/devoluciones.pdf"}],
                        },
                    ],
                }
            ],
        }
    }
}


@router.get("/courses", responses=problem_responses(*_COMMON), summary="List courses")
async def list_courses(
    caller: Reader,
    gateway: TheGateway,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[
        str | None, StringConstraints(max_length=2_000), Query(description="`next_cursor` of the page before.")
    ] = None,
) -> CoursePage:
    """By id, page by page; without modules and lessons."""
    return await gateway.courses.page(caller.principal, cursor, limit)


@router.get(
    "/courses/{course_id:path}",
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND),
    summary="A course with its modules and lessons",
)
async def get_course(course_id: CourseId, caller: Reader, gateway: TheGateway) -> Course:
    """As it was last put; `live_version` tells whether questions see that already."""
    return await gateway.courses.get(caller.principal, course_id)


@router.put(
    "/courses/{course_id:path}",
    responses=problem_responses(*_COMMON, ErrorCode.MALFORMED_JSON, ErrorCode.PAYLOAD_TOO_LARGE),
    summary="Create or replace a whole course",
)
async def put_course(
    course_id: CourseId,
    course: Annotated[CoursePut, Body(openapi_examples=_COURSES)],
    caller: Writer,
    gateway: TheGateway,
) -> CourseReply:
    """Needs the scope `documents:write`. Modules, lessons and links are replaced in one transaction; the same course
    again changes nothing, another one is no longer stale. Its words become a version of its document: follow that as
    any other. Documents that lessons point at belong to the course from now on."""
    return await gateway.courses.put(caller.principal, course_id, course)


@router.delete(
    "/courses/{course_id:path}",
    status_code=204,
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND),
    summary="Delete a course with its modules and lessons",
)
async def delete_course(course_id: CourseId, caller: Writer, gateway: TheGateway) -> None:
    """Gone from every search at once; the documents that it used stay, without it."""
    deletion = await gateway.courses.delete(caller.principal, course_id)
    if not deletion.deleted:
        raise RequestError(ErrorCode.NOT_FOUND, "There is no such course.")
