"""Calls on courses."""

from __future__ import annotations

from collections.abc import Iterator

from skillnet_client.requests import courses as requests
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.courses import Course, CoursePage, CoursePut, CourseReply, CourseSummary


class CourseCalls(Connection):
    """Courses with their modules and lessons, by the platform's own ids."""

    def courses_page(self, *, cursor: str | None = None, limit: int = 100) -> CoursePage:
        """One page of courses, by id."""
        return self._call(requests.page(cursor, limit), CoursePage)

    def courses(self) -> Iterator[CourseSummary]:
        """Every course, page by page."""
        cursor: str | None = None
        while True:
            page = self.courses_page(cursor=cursor)
            yield from page.courses
            cursor = page.next_cursor
            if cursor is None:
                return

    def course(self, course_id: str) -> Course:
        """A course with its modules and lessons."""
        return self._call(requests.one(course_id), Course)

    def put_course(self, course_id: str, course: CoursePut) -> CourseReply:
        """Creates or replaces it whole; its words are followed as a document (`wait_until_settled`)."""
        return self._call(requests.put(course_id, course), CourseReply)

    def delete_course(self, course_id: str) -> None:
        """Deletes it with its modules and lessons; the documents that it used stay."""
        self._send(requests.delete(course_id))
