"""`skillnet courses put | list | show | delete`: courses with their modules and lessons."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.output import AsJson, console, counted, escape, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_client import SkillnetClient
from skillnet_common.contracts.courses import Course, CourseDeleted, CoursePut, CourseReply, CourseSummary
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="Courses with their modules and lessons.")

CourseId = Annotated[str, typer.Argument(metavar="ID", help="The platform's own id of the course.")]


@app.command()
@reports_errors
def put(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON as PUT /v1/courses/ID takes it.")],
    data: DataFolder = None,
    course_id: Annotated[
        str | None, typer.Option("--id", help="The course's id; else the file's own course_id.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until questions see it.")] = True,
    as_json: AsJson = False,
) -> None:
    """Create or replace a whole course."""
    course_id, course = _read(file, course_id)
    with find_target(data).client() as client:
        reply = client.put_course(course_id, course)
        if wait:
            _wait(client, reply)
    if as_json:
        print_json(reply)
    else:
        console.print(f"{escape(reply.course_id)}: {reply.outcome} (version {reply.version})")


@app.command("list")
@reports_errors
def list_(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the courses, also those that only documents have named."""
    with find_target(data).client() as client:
        courses = list(client.courses())
    if as_json:
        print_json(courses)
    else:
        print_table(["Id", "Title", "Modules", "Lessons", "State"], [_row(course) for course in courses])


@app.command()
@reports_errors
def show(course_id: CourseId, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show a course with its modules and lessons."""
    with find_target(data).client() as client:
        course = client.course(course_id)
    if as_json:
        print_json(course)
    else:
        _print_course(course)


@app.command()
@reports_errors
def delete(
    course_id: CourseId,
    data: DataFolder = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a course with its modules and lessons; the documents that it used stay."""
    if not yes:
        if not sys.stdin.isatty():
            raise SkillnetError(ErrorCode.INVALID_REQUEST, "Nobody is there to ask; delete without asking by --yes.")
        if not typer.confirm(f"Delete the course {course_id!r}?"):
            console.print("Nothing was deleted.")
            raise typer.Exit(Exit.FAILED)
    with find_target(data).client() as client:
        client.delete_course(course_id)
    if as_json:
        print_json(CourseDeleted(course_id=course_id, deleted=True))
    else:
        console.print(f"Deleted: {escape(course_id)}")


def _read(file: Path, course_id: str | None) -> tuple[str, CoursePut]:
    """The id and the course. Raises SkillnetError `invalid_request` with what is wrong with the file."""
    try:
        body = json.loads(file.read_bytes())
    except OSError as error:
        raise SkillnetError(ErrorCode.NOT_FOUND, f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{file} is no JSON: {error}.") from error
    if not isinstance(body, dict):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{file} does not hold a course: it is no JSON object.")
    own_id = body.pop("course_id", None)
    course_id = course_id or own_id
    if not isinstance(course_id, str):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{file} names no course_id: give one by --id.")
    try:
        return course_id, CoursePut.model_validate(body)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'course'}: {one['msg']}" for one in error.errors())
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{file} does not hold a course: {wrong}.") from error


def _wait(client: SkillnetClient, reply: CourseReply) -> None:
    """Raises SkillnetError with the reason where its words could not be taken in."""
    settled = client.wait_until_settled([reply.document_id])
    failure = settled[reply.document_id].failure if reply.document_id in settled else None
    if failure is not None and failure.version == reply.document_version:
        raise SkillnetError(ErrorCode(failure.code), f"The course's words could not be read: {failure.message}")


def _row(course: CourseSummary) -> tuple[object, ...]:
    return course.course_id, course.title, course.module_count, course.lesson_count, _state(course)


def _state(course: CourseSummary) -> str:
    if course.document_id is None:
        return "documents only"
    if course.live_version is None or course.live_version < (course.document_version or 0):
        return "being read"
    return course.stale_reason or "ready"


def _print_course(course: Course) -> None:
    console.print(f"[bold]{escape(course.title)}[/]  {escape(course.course_id)}, {_state(course)}")
    if course.description:
        console.print(escape(course.description))
    for module in course.modules:
        console.print(f"\n{escape(module.title)}" + (f": {escape(module.summary)}" if module.summary else ""))
        for lesson in module.lessons:
            documents = f"  ({counted(len(lesson.documents), 'document')})" if lesson.documents else ""
            console.print(f"  {escape(lesson.title)}{documents}")
