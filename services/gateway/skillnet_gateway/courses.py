"""Courses of an organisation: put whole, shown as far as the asker may see them, deleted."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence, Set
from uuid import UUID

import asyncpg

from skillnet_common.auth import Principal
from skillnet_common.contracts.courses import (
    COURSE_SOURCE,
    Course,
    CourseDeleted,
    CourseOutcome,
    CoursePage,
    CoursePut,
    CourseReply,
    CourseSummary,
    Lesson,
    LessonDocument,
    Module,
)
from skillnet_common.courses.words import FILE_NAME, words_of
from skillnet_common.database import Database, Queries
from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions import UploadOutcome, UploadResult, delete_document, document_id_for
from skillnet_gateway.cursors import foreign_cursor, read_cursor, write_cursor
from skillnet_gateway.parameters import VersionParameters
from skillnet_gateway.uploads import Target, Uploads

_SQL = Queries(__package__, "courses.sql")


class Courses:
    """A course's words become a version of its document in the transaction that replaces its modules and lessons."""

    def __init__(self, database: Database, uploads: Uploads) -> None:
        self._database = database
        self._uploads = uploads

    async def put(self, principal: Principal, course_id: str, course: CoursePut) -> CourseReply:
        """Creates or replaces the course; the same again changes nothing.

        Raises RequestError `forbidden` where the key may not write to it or give it this audience, `invalid_request`
        for a document that the key does not see.
        """
        tree = _Tree(principal, course_id, course)
        await self._uploads.receive(
            principal,
            Target(COURSE_SOURCE, course_id, FILE_NAME, must_exist=False),
            VersionParameters(
                title=course.title, language=course.language, audience=course.audience, course_id=[course_id]
            ),
            _whole(words_of(course)),
            idempotency_key=None,
            alongside=tree,
        )
        return tree.reply

    async def page(self, principal: Principal, cursor: str | None, limit: int) -> CoursePage:
        """A page of courses by id. RequestError `invalid_request` for a cursor of no list."""
        rows = await self._rows(principal, None, _after(cursor), limit + 1)
        return CoursePage(
            courses=[CourseSummary(**row) for row in rows[:limit]],
            next_cursor=write_cursor(rows[limit - 1]["course_id"]) if len(rows) > limit else None,
        )

    async def get(self, principal: Principal, course_id: str) -> Course:
        """The course with its modules and lessons. RequestError `not_found`."""
        async with self._database.snapshot(principal.org_id, audience=principal.audience) as snapshot:
            row = await _course(snapshot.connection, principal, course_id)
            modules = await snapshot.connection.fetch(_SQL.modules_of, principal.org_id, course_id)
            lessons = await snapshot.connection.fetch(_SQL.lessons_of, principal.org_id, course_id)
        return Course(**row, modules=_modules(modules, lessons))

    async def delete(self, principal: Principal, course_id: str) -> CourseDeleted:
        """Deletes the course and its words; documents that it uses stay.

        Raises RequestError `forbidden` where a key limited to groups would delete what it cannot see all of.
        """
        async with self._database.tenant(principal.org_id, audience=principal.audience) as connection:
            rows = await _select(connection, principal, course_id, None, 1)
            if not rows:
                return CourseDeleted(course_id=course_id, deleted=False)
            await _require_own(connection, principal, course_id)
            if rows[0]["document_id"] is not None:
                await delete_document(connection, principal.org_id, rows[0]["document_id"])
            await connection.execute(_SQL.delete_course, principal.org_id, course_id)
        return CourseDeleted(course_id=course_id, deleted=True)

    async def _rows(
        self, principal: Principal, course_id: str | None, after: str | None, limit: int
    ) -> list[asyncpg.Record]:
        async with self._database.tenant(principal.org_id, audience=principal.audience, readonly=True) as connection:
            return await _select(connection, principal, course_id, after, limit)


class _Tree:
    """What is written beside a course's words: its modules, lessons and links."""

    def __init__(self, principal: Principal, course_id: str, course: CoursePut) -> None:
        self._principal = principal
        self._org_id = principal.org_id
        self._course_id = course_id
        self._course = course
        self._links = _links(principal.org_id, course)
        self._reply: CourseReply | None = None

    @property
    def reply(self) -> CourseReply:
        """What became of the course, once it is written."""
        if self._reply is None:
            raise LookupError("the course has not been written")
        return self._reply

    async def before(self, connection: Connection) -> None:
        """Holds the documents that lessons point at: documents are locked before courses."""
        await _require_own(connection, self._principal, self._course_id)
        wanted = sorted({document_id for _, _, document_id in self._links})
        rows = await connection.fetch(_SQL.linkable, self._org_id, wanted, _groups(self._principal), COURSE_SOURCE)
        missing = set(wanted) - {row["document_id"] for row in rows}
        if missing:
            raise RequestError(
                ErrorCode.INVALID_REQUEST,
                f"These lessons point at documents that do not exist: {', '.join(self._named(missing)[:10])}.",
                document_ids=sorted(map(str, missing)),
            )

    def _named(self, missing: Set[UUID]) -> list[str]:
        """The ids of the lessons that point there."""
        return sorted({lesson for lesson, _, document in self._links if document in missing})

    async def after(self, connection: Connection, result: UploadResult) -> None:
        """Writes the tree, unless it is there already."""
        digest = hashlib.sha256(self._course.model_dump_json().encode()).digest()
        before = await connection.fetchrow(_SQL.course_before, self._org_id, self._course_id)
        if before is not None and before["digest"] == digest:
            if result.outcome is not UploadOutcome.UNCHANGED:
                await connection.execute(_SQL.move_document_version, self._org_id, self._course_id, result.version)
            self._reply = self._replied(before["version"], CourseOutcome.UNCHANGED, result)
            return
        version = await connection.fetchval(
            _SQL.put_course,
            self._org_id,
            self._course_id,
            self._course.title,
            self._course.description,
            result.document_id,
            result.version,
            digest,
        )
        await self._write_parts(connection)
        outcome = CourseOutcome.CREATED if before is None else CourseOutcome.REPLACED
        self._reply = self._replied(version, outcome, result)

    async def _write_parts(self, connection: Connection) -> None:
        course = (self._org_id, self._course_id)
        modules = self._course.modules
        lessons = [
            (module.module_id, place, lesson.lesson_id, lesson.title, lesson.summary, lesson.content)
            for module in modules
            for place, lesson in enumerate(module.lessons, start=1)
        ]
        documents = [link[2] for link in self._links]
        await connection.execute(_SQL.clear_modules, *course)
        await connection.execute(
            _SQL.add_modules,
            *course,
            [module.module_id for module in modules],
            [module.title for module in modules],
            [module.summary for module in modules],
        )
        await connection.execute(_SQL.add_lessons, *course, *_columns(lessons, 6))
        await connection.execute(_SQL.add_lesson_documents, *course, *_columns(self._links, 3))
        await connection.execute(_SQL.unlink_documents, *course, documents)
        await connection.execute(_SQL.link_documents, *course, documents)

    def _replied(self, version: int, outcome: CourseOutcome, result: UploadResult) -> CourseReply:
        return CourseReply(
            course_id=self._course_id,
            version=version,
            outcome=outcome,
            document_id=result.document_id,
            document_version=result.version,
        )


async def _require_own(connection: Connection, principal: Principal, course_id: str) -> None:
    """A key limited to groups writes to courses of its own groups alone. RequestError `forbidden`."""
    if principal.audience is None:
        return
    if await connection.fetchval(_SQL.is_others, principal.org_id, course_id, list(principal.audience)):
        raise RequestError(
            ErrorCode.FORBIDDEN, "This course may be for others too: a key limited to groups leaves it as it is."
        )


def _links(org_id: UUID, course: CoursePut) -> list[tuple[str, int, UUID]]:
    """(lesson, place, document) of every link."""
    return [
        (lesson.lesson_id, place, _linked(org_id, document))
        for module in course.modules
        for lesson in module.lessons
        for place, document in enumerate(lesson.documents, start=1)
    ]


def _linked(org_id: UUID, document: LessonDocument) -> UUID:
    if document.document_id is not None:
        return document.document_id
    return document_id_for(org_id, document.source, document.external_key or "")


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    return [[row[number] for row in rows] for number in range(width)]


async def _select(
    connection: Connection, principal: Principal, course_id: str | None, after: str | None, limit: int
) -> list[asyncpg.Record]:
    is_limited = principal.audience is not None
    rows: list[asyncpg.Record] = await connection.fetch(
        _SQL.courses, principal.org_id, course_id, after, is_limited, limit
    )
    return rows


async def _course(connection: Connection, principal: Principal, course_id: str) -> asyncpg.Record:
    rows = await _select(connection, principal, course_id, None, 1)
    if not rows:
        raise RequestError(ErrorCode.NOT_FOUND, "There is no such course.")
    return rows[0]


def _modules(modules: Sequence[asyncpg.Record], lessons: Sequence[asyncpg.Record]) -> list[Module]:
    of_module: dict[str, list[Lesson]] = defaultdict(list)
    for row in lessons:
        of_module[row["module_id"]].append(Lesson(**row))
    return [Module(**row, lessons=of_module[row["module_id"]]) for row in modules]


def _groups(principal: Principal) -> list[str] | None:
    return None if principal.audience is None else list(principal.audience)


def _after(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    match read_cursor(cursor):
        case [str(course_id)]:
            return course_id
    raise foreign_cursor()


async def _whole(data: bytes) -> AsyncIterator[bytes]:
    yield data
