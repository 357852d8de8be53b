"""Whatever is said of a file over HTTP can be typed where it is sent or edited."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from skillnet_cli.exits import Exit

from .answering import description, example, run

ID = "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10"
DESCRIPTION = [
    *("--subject", "s", "--entity", "e", "--taxonomy", "a/b", "--course", "c", "--course", "d"),
    *("--audience", "g", "--metadata", "year=2026"),
]
SAID = {
    "subject_id": ["s"], "entity_id": ["e"], "taxonomy": ["a/b"], "course_id": ["c", "d"], "audience": ["g"],
    "metadata": ['{"year": 2026}'],
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.md"
    file.write_text("# A")
    return file


def query_of(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> dict[str, list[str]]:
    """The parameters of the upload that a command makes."""
    queries: list[dict[str, list[str]]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return example(request)
        queries.append({name: request.url.params.get_list(name) for name in request.url.params})
        return httpx.Response(503)

    done = run(monkeypatch, answer, *arguments)
    assert done.exit_code == Exit.UNAVAILABLE, done.output
    (query,) = queries
    return query


def parameters(method: str, path: str) -> set[str]:
    return {one["name"] for one in description()["paths"][path][method]["parameters"] if one["in"] == "query"}


def test_ingest_says_all_that_can_be_said(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    more = ["--source", "wiki", "--language", "es", "--title", "Título"]
    query = query_of(monkeypatch, "ingest", str(file), *DESCRIPTION, *more)
    named = {"filename": ["a.md"], "external_key": [str(file)]}
    assert query == SAID | named | {"source": ["wiki"], "language": ["es"], "title": ["Título"]}
    assert set(query) == parameters("post", "/v1/documents")


def test_bulk_says_all_that_can_be_said(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    query = query_of(monkeypatch, "bulk", str(file), *DESCRIPTION, "--source", "wiki", "--language", "es")
    assert query == SAID | {"source": ["wiki"], "language": ["es"]}
    assert set(query) == parameters("post", "/v1/documents/bulk")


def test_a_new_version_says_all_that_can_be_said(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    more = ["--into", ID, "--language", "es", "--title", "Título"]
    query = query_of(monkeypatch, "ingest", str(file), *DESCRIPTION, *more)
    assert query == SAID | {"filename": ["a.md"], "language": ["es"], "title": ["Título"]}
    assert set(query) == parameters("put", "/v1/documents/{document_id}/content")


def test_edit_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[dict[str, object]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "PATCH":
            bodies.append(json.loads(request.read()))
        return example(request)

    assert run(monkeypatch, answer, "edit", ID, *DESCRIPTION).exit_code == Exit.OK
    (body,) = bodies
    assert body.pop("metadata") == {"departamento": "ventas", "year": 2026}
    assert body == {"subject_id": "s", "entity_id": "e", "taxonomy": "a/b", "courses": ["c", "d"], "audience": ["g"]}


@pytest.mark.parametrize(
    "options", [["--title", "t"], ["--into", ID], ["--into", ID, "--source", "wiki"], ["--metadata", "year"]]
)
def test_what_makes_no_sense_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, file: Path, options: list[str]) -> None:
    paths = [str(file)]
    if "--source" not in options:
        (file.parent / "b.md").write_text("# B")
        paths.append(str(file.parent / "b.md"))
    done = run(monkeypatch, example, "ingest", *paths, *options)
    assert done.exit_code == Exit.USAGE, done.output
