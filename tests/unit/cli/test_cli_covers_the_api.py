"""Whatever the API describes a command does."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from skillnet_cli.exits import Exit

from .answering import Operation, example, operation_of, operations, run

ID = "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10"
COMMANDS: dict[Operation, str] = {
    ("GET", "/v1/me"): "me",
    ("GET", "/v1/usage"): "usage",
    ("POST", "/v1/search"): "search x",
    ("POST", "/v1/context"): "context x",
    ("POST", "/v1/ground"): "ground x",
    ("POST", "/v1/ask"): "ask x",
    ("POST", "/v1/documents"): "ingest FILE",
    ("POST", "/v1/documents/bulk"): "bulk FILE",
    ("GET", "/v1/documents"): "documents",
    ("GET", "/v1/documents/{document_id}"): f"show {ID}",
    ("PUT", "/v1/documents/{document_id}/content"): f"ingest FILE --into {ID}",
    ("PATCH", "/v1/documents/{document_id}"): f"edit {ID} --title t",
    ("DELETE", "/v1/documents/{document_id}"): f"delete {ID} --yes",
    ("GET", "/v1/documents/{document_id}/outline"): f"outline {ID}",
    ("GET", "/v1/documents/{document_id}/chunks"): f"chunks {ID}",
    ("GET", "/v1/documents/{document_id}/chunks/{chunk_id}"): f"chunks {ID} --chunk {ID}",
    ("GET", "/v1/documents/{document_id}/original"): f"download {ID} --output NEW",
    ("GET", "/v1/documents/{document_id}/progress"): f"progress {ID}",
    ("POST", "/v1/documents/{document_id}/versions/{version}/cancel"): f"cancel {ID}",
    ("GET", "/v1/keys"): "keys list",
    ("POST", "/v1/keys"): "keys create x",
    ("GET", "/v1/keys/{key_id}"): f"keys show {ID}",
    ("DELETE", "/v1/keys/{key_id}"): f"keys revoke {ID}",
    ("GET", "/v1/organization"): "organization",
    ("PATCH", "/v1/organization"): "organization --name x",
    ("GET", "/v1/organization/prompt"): "organization prompt show",
    ("PUT", "/v1/organization/prompt"): "organization prompt set FILE",
    ("DELETE", "/v1/organization/prompt"): "organization prompt reset",
    ("GET", "/v1/organization/prompt/versions"): "organization prompt history",
    ("GET", "/v1/courses"): "courses list",
    ("GET", "/v1/courses/{course_id}"): "courses show acogida",
    ("PUT", "/v1/courses/{course_id}"): "courses put COURSE --no-wait",
    ("DELETE", "/v1/courses/{course_id}"): "courses delete acogida --yes",
    ("POST", "/v1/documents/reprocess"): "reprocess",
    ("GET", "/v1/quarantine"): "dlq list",
    ("GET", "/v1/quarantine/{work_id}"): f"dlq show {ID}",
    ("POST", "/v1/quarantine/{work_id}/replay"): f"dlq replay {ID}",
}


def test_every_operation_has_a_command() -> None:
    assert set(COMMANDS) == set(operations())


@pytest.mark.parametrize(("operation", "command"), COMMANDS.items(), ids=str)
def test_the_command_asks_the_operation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, operation: Operation, command: str
) -> None:
    asked: list[Operation] = []
    file = tmp_path / "a.md"
    file.write_text("{context} {question}")
    course = tmp_path / "c.json"
    course.write_text('{"course_id": "acogida", "title": "x", "modules": [{"module_id": "m", "title": "x"}]}')
    places = {"FILE": str(file), "NEW": str(tmp_path / "b.md"), "COURSE": str(course)}

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(operation_of(request))
        return httpx.Response(503) if asked[-1] == operation else example(request)

    done = run(monkeypatch, answer, *[places.get(word, word) for word in command.split()])
    assert operation in asked, done.output
    assert done.exit_code == Exit.UNAVAILABLE, done.output
