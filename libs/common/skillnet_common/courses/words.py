"""A course's words as the file that the parser reads: JSON that says of itself what it is."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from skillnet_common.contracts.courses import CoursePut, LessonPut, ModulePut

MAGIC = b'{"skillnet-course":1,'
"""How the file begins. Its name is `FILE_NAME`."""

FILE_NAME = "course.json"

FILE_TYPE = "course"
"""Of the document that the words become: its sections of the first level are modules, of the second lessons."""


@dataclass(frozen=True, slots=True)
class Part:
    """A module or a lesson: `heading` is its own among those beside it; `summary` is plain text, `content` Markdown.
    One without words of its own is found by its heading."""

    heading: str
    summary: str
    content: str = ""
    parts: tuple[Part, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class CourseWords:
    """What the file holds."""

    title: str
    description: str
    modules: tuple[Part, ...]


def words_of(course: CoursePut) -> bytes:
    """The file. Courses with the same words give the same bytes: ids, audience and documents are no words."""
    modules = [
        {"heading": heading, "summary": module.summary, "parts": _lessons(module.lessons)}
        for heading, module in zip(_headings(course.modules), course.modules, strict=True)
    ]
    body = {"title": course.title, "description": course.description, "modules": modules}
    return MAGIC + json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode().removeprefix(b"{")


def read_words(data: bytes) -> CourseWords:
    """The file's content. Raises ValueError where it is no such file."""
    try:
        body = json.loads(data)
        return CourseWords(body["title"], body["description"], tuple(_part(one) for one in body["modules"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a course: {error!r}") from error


def _lessons(lessons: Sequence[LessonPut]) -> list[dict[str, str]]:
    return [
        {"heading": heading, "summary": lesson.summary, "content": lesson.content}
        for heading, lesson in zip(_headings(lessons), lessons, strict=True)
    ]


def _part(body: dict[str, Any]) -> Part:
    parts = tuple(_part(one) for one in body.get("parts", ()))
    return Part(str(body["heading"]), str(body["summary"]), str(body.get("content", "")), parts)


def _headings(parts: Sequence[ModulePut] | Sequence[LessonPut]) -> list[str]:
    """The titles; one that stands beside an equal one gets a number, so that a path names one part."""
    taken: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = {}
    for part in parts:
        title = heading = " ".join(unicodedata.normalize("NFC", part.title).split())
        while heading in taken:
            heading = f"{title} ({next(numbers.setdefault(title, count(2)))})"
        taken[heading] = None
    return list(taken)
