"""Courses with their modules and lessons, over HTTP (`/v1/courses`) and on the bus (`courses.v1.*`)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.fields import ExternalKey, Group, Id, Source, Title
from skillnet_common.contracts.retrieval import Instant

COURSE_SOURCE = "course"
"""The source of the documents that courses' words are; no upload may name it."""

MAX_COURSE_BYTES = 8 * 1024 * 1024
MAX_MODULES = 200
MAX_LESSONS = 2_000
MAX_LESSON_CHARS = 400_000
MAX_SUMMARY_CHARS = 4_000
MAX_LESSON_DOCUMENTS = 50


def _readable(value: str) -> str:
    if not any(character.isalnum() for character in value):
        raise ValueError("must hold a letter or a digit")
    return value


Heading = Annotated[Title, AfterValidator(_readable)]
Summary = Annotated[str, StringConstraints(max_length=MAX_SUMMARY_CHARS, strip_whitespace=True)]


class LessonDocument(Request):
    """A document that a lesson points at: by its id, or by its source and external key."""

    document_id: UUID | None = None
    source: Source = "upload"
    external_key: ExternalKey | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.document_id is None) == (self.external_key is None):
            raise ValueError("name a document either by document_id or by external_key")
        return self


class LessonPut(Request):
    """A lesson. `lesson_id` is the platform's own, once in the course; `content` is Markdown."""

    lesson_id: Id
    title: Heading
    summary: Summary = ""
    content: str = Field(default="", max_length=MAX_LESSON_CHARS)
    documents: list[LessonDocument] = Field(default_factory=list, max_length=MAX_LESSON_DOCUMENTS)


class ModulePut(Request):
    """A module. `module_id` is the platform's own, once in the course; lessons are in their order."""

    module_id: Id
    title: Heading
    summary: Summary = ""
    lessons: list[LessonPut] = Field(default_factory=list, max_length=MAX_LESSONS)


class CoursePut(Request):
    """A whole course, modules in their order: it replaces what was there.

    `audience`: groups that may see its words, as of a document; left out, what holds stays. `language`: ISO 639-1;
    detected where left out.
    """

    title: Heading
    description: Summary = ""
    language: Annotated[str, StringConstraints(pattern="^[a-z]{2}$")] | None = None
    audience: list[Group] | None = Field(default=None, max_length=100)
    modules: list[ModulePut] = Field(min_length=1, max_length=MAX_MODULES)

    @model_validator(mode="after")
    def _ids_are_used_once(self) -> Self:
        lessons = [lesson.lesson_id for module in self.modules for lesson in module.lessons]
        if len(lessons) > MAX_LESSONS:
            raise ValueError(f"a course has at most {MAX_LESSONS} lessons")
        _require_once("module_id", (module.module_id for module in self.modules))
        _require_once("lesson_id", lessons)
        return self


def _require_once(name: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise ValueError(f"{name} {one!r} is used twice")
        seen.add(one)


class CourseUpsert(Request):
    """`courses.v1.upsert`: a whole course of the credential's organisation is created or replaced."""

    course_id: Id
    course: CoursePut


class CourseDeletion(Request):
    """`courses.v1.delete`: a course of the credential's organisation is deleted with its modules and lessons."""

    course_id: Id


class CourseOutcome(StrEnum):
    """What a course that was sent did."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


class CourseReply(Message):
    """What became of a course. `document_id` and `document_version` are its words as a document, which is read,
    embedded and followed as any other; until that version is live, questions see the one before."""

    course_id: str
    version: int
    outcome: CourseOutcome
    document_id: UUID
    document_version: int


class CourseDeleted(Message):
    """The course is gone. `deleted`: whether there was one."""

    course_id: str
    deleted: bool


class Lesson(Message):
    """A lesson as it is kept."""

    lesson_id: str
    title: str
    summary: str
    content: str
    documents: list[UUID] = Field(default_factory=list)
    """Those that the asker may see."""


class Module(Message):
    """A module as it is kept, lessons in their order."""

    module_id: str
    title: str
    summary: str
    lessons: list[Lesson] = Field(default_factory=list)


class CourseSummary(Message):
    """A course in a list. `document_id` is null and `version` 0 where only documents have named it so far.

    `stale_since`: a source has changed since then and nobody has looked; `stale_reason` says how."""

    course_id: str
    title: str
    description: str
    version: int
    module_count: int
    lesson_count: int
    document_id: UUID | None
    document_version: int | None
    live_version: int | None
    """The version of its document that questions see; null: none yet."""
    stale_since: datetime | None
    stale_reason: str | None
    created_at: Instant
    updated_at: Instant


class Course(CourseSummary):
    """A course with its modules and lessons."""

    modules: list[Module] = Field(default_factory=list)


class CoursePage(Message):
    """A page of courses, ordered by id. `next_cursor` asks for the next page; null: there is none."""

    courses: list[CourseSummary]
    next_cursor: str | None = None
