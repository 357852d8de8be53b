"""What `skillnet courses put` says of a file that is no course, and whose id it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from skillnet_cli.exits import Exit

from .answering import run

COURSE: dict[str, Any] = {"title": "Acogida", "modules": [{"module_id": "m", "title": "Caja"}]}


def put(monkeypatch: pytest.MonkeyPatch, file: Path, *options: str) -> tuple[Any, list[httpx.Request]]:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        reply = {
            "course_id": request.url.path.removeprefix("/v1/courses/"),
            "version": 1,
            "outcome": "created",
            "document_id": "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a20",
            "document_version": 1,
        }
        return httpx.Response(200, json=reply)

    return run(monkeypatch, answer, "courses", "put", str(file), "--no-wait", *options), sent


@pytest.mark.parametrize(
    ("own", "options", "path"),
    [
        ("acogida", (), "/v1/courses/acogida"),
        (None, ("--id", "a/b ñ"), "/v1/courses/a%2Fb%20%C3%B1"),
        ("acogida", ("--id", "otra"), "/v1/courses/otra"),
    ],
)
def test_the_id_is_the_options_else_the_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str | None, options: tuple[str, ...], path: str
) -> None:
    file = tmp_path / "curso.json"
    file.write_text(json.dumps(COURSE if own is None else {"course_id": own, **COURSE}))
    done, sent = put(monkeypatch, file, *options)
    assert done.exit_code == 0, done.output
    assert [(one.method, one.url.raw_path.decode()) for one in sent] == [("PUT", path)]
    assert json.loads(sent[0].content) == COURSE


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        (json.dumps(COURSE), "no course_id"),
        (json.dumps({"course_id": 7, **COURSE}), "no course_id"),
        (json.dumps({"course_id": "a", "title": "x"}), "modules: Field required"),
        (json.dumps({"course_id": "a", **COURSE, "modulos": []}), "modulos: Extra inputs"),
    ],
)
def test_a_file_that_is_no_course_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str, said: str
) -> None:
    file = tmp_path / "curso.json"
    file.write_text(content)
    done, sent = put(monkeypatch, file)
    assert done.exit_code != 0
    assert said in done.output
    assert sent == []


def test_a_file_that_is_not_there_is_not_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done, _ = put(monkeypatch, tmp_path / "nada.json")
    assert done.exit_code == Exit.NOT_FOUND
