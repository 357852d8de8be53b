"""Calls on courses."""

from __future__ import annotations

from collections.abc import AsyncIterator

from skillnet_client.aio.connection import AsyncConnection
from skillnet_client.requests import courses as requests
from skillnet_common.contracts.courses import Course, CoursePage, CoursePut, CourseReply, CourseSummary


class AsyncCourseCalls(AsyncConnection):
    """Courses with their modules and lessons, by the platform's own ids."""

    async def courses_page(self, *, cursor: str | None = None, limit: int = 100) -> CoursePage:
        """One page of courses, by id."""
        return await self._call(requests.page(cursor, limit), CoursePage)

    async def courses(self) -> AsyncIterator[CourseSummary]:
        """Every course, page by page."""
        cursor: str | None = None
        while True:
            page = await self.courses_page(cursor=cursor)
            for course in page.courses:
                yield course
            cursor = page.next_cursor
            if cursor is None:
                return

    async def course(self, course_id: str) -> Course:
        """A course with its modules and lessons."""
        return await self._call(requests.one(course_id), Course)

    async def put_course(self, course_id: str, course: CoursePut) -> CourseReply:
        """Creates or replaces it whole; its words are followed as a document (`wait_until_settled`)."""
        return await self._call(requests.put(course_id, course), CourseReply)

    async def delete_course(self, course_id: str) -> None:
        """Deletes it with its modules and lessons; the documents that it used stay."""
        await self._send(requests.delete(course_id))
