"""Whatever the API describes the client can call, with every parameter; and it calls nothing else."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints
from unittest.mock import create_autospec
from uuid import UUID

import httpx
import pytest
from pydantic import BaseModel

from skillnet_client import DocumentFilters, RetryPolicy, SkillnetApiError, SkillnetClient, UploadOptions
from skillnet_common.contracts.courses import CoursePut, ModulePut
from skillnet_common.contracts.documents import DocumentStatus
from skillnet_common.contracts.keys import KeyRequest
from skillnet_common.contracts.retrieval import SearchRequest
from skillnet_gateway.api import create_api
from skillnet_gateway.gateway import Gateway

ID = UUID(int=7)
OF_SEVERAL_CALLS = {"wait_until_settled", "close"}
OPTIONS = UploadOptions(
    filename="a.md", external_key="k", source="s", title="t", language="es", subject_id="s", entity_id="e",
    taxonomy="x", courses=["c"], audience=["a"], metadata={"a": 1}, idempotency_key="i",
)  # fmt: skip
FILTERS = DocumentFilters(
    status=DocumentStatus.READY, course_id="c", subject_id="s", entity_id="e", taxonomy_prefix="t", language="es",
    file_type="pdf", source="s", external_key="k", title="t", updated_after=datetime(2026, 1, 1, tzinfo=UTC),
    updated_before=datetime(2027, 1, 1, tzinfo=UTC), metadata={"a": 1},
)  # fmt: skip
HEADERS_BY_THE_CLIENT_ITSELF = {"range", "if-range", "last-event-id"}
"""Sent when a reply broke off."""
HEADERS_OF_NO_USE = {"if-none-match"}
"""A download is asked for to be had."""
BODIES: dict[type[BaseModel], BaseModel] = {
    SearchRequest: SearchRequest(query="x"),
    KeyRequest: KeyRequest(name="x"),
    CoursePut: CoursePut(title="x", modules=[ModulePut(module_id="m", title="x")]),
}


@dataclass(frozen=True)
class Sent:
    """A call as the server would see it."""

    method: str
    path: str
    query: frozenset[str]
    headers: frozenset[str]
    body: bytes
    content_type: str


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return create_api(create_autospec(Gateway, instance=True)).openapi()


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sent]:
    """Every method of the client, called with all that it takes."""
    folder = tmp_path_factory.mktemp("downloads")
    sent: list[Sent] = []

    def remember(request: httpx.Request) -> httpx.Response:
        sent.append(
            Sent(
                request.method,
                request.url.path,
                frozenset(request.url.params),
                frozenset(request.headers),
                request.read(),
                request.headers.get("content-type", ""),
            )
        )
        return httpx.Response(500)

    found = {}
    with SkillnetClient("http://gateway", "key", retry=RetryPolicy(retries=0)) as client:
        client._http.close()
        client._http = httpx.Client(base_url="http://gateway", transport=httpx.MockTransport(remember))
        for name, method in inspect.getmembers(client, inspect.ismethod):
            if name.startswith("_") or name in OF_SEVERAL_CALLS:
                continue
            sent.clear()
            with contextlib.suppress(SkillnetApiError):
                result = method(**arguments(name, method, folder))
                if inspect.isgenerator(result):
                    list(result)
            assert len(sent) == 1, name
            found[name] = sent[0]
    return found


def arguments(name: str, method: Any, folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = {
        "file": b"x", "archive": b"x", "options": options_for(name), "cursor": "c", "limit": 5, "ids": [ID],
        "version": 1, "target": folder / "a.md", "force": True, "first": date(2026, 1, 1), "last": date(2026, 1, 2),
        "template": "{context} {question}", "filters": None,
    }  # fmt: skip
    hints = get_type_hints(method)
    given: dict[str, Any] = {}
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            given |= FILTERS
        elif parameter.name.endswith("_id"):
            given[parameter.name] = ID
        elif parameter.name in values:
            given[parameter.name] = values[parameter.name]
        else:
            given[parameter.name] = body_for(hints[parameter.name])
    return given


def options_for(name: str) -> UploadOptions:
    if name == "upload_version":
        return replace(OPTIONS, external_key=None, source=None)
    if name == "upload_archive":
        return replace(OPTIONS, filename=None, external_key=None, title=None, idempotency_key=None)
    return OPTIONS


def body_for(hint: Any) -> Any:
    """The text of a request that may be one, else a model as empty as it can be."""
    kinds = get_args(hint) or (hint,)
    if str in kinds:
        return "x"
    return BODIES[kinds[0]] if kinds[0] in BODIES else kinds[0]()


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        if path.startswith("/v1/"):
            for method, operation in methods.items():
                yield method.upper(), path, operation


def operation_of(schema: dict[str, Any], sent: Sent) -> tuple[str, str, dict[str, Any]] | None:
    """A path without parameters goes first, as in the app."""
    for method, path, operation in sorted(operations(schema), key=lambda one: "{" in one[1]):
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))
        if method == sent.method and re.fullmatch(pattern, sent.path):
            return method, path, operation
    return None


def test_every_operation_has_a_method_and_every_method_an_operation(
    schema: dict[str, Any], calls: dict[str, Sent]
) -> None:
    reached = set()
    for name, sent in calls.items():
        operation = operation_of(schema, sent)
        assert operation is not None, f"{name}: {sent.method} {sent.path} is not described"
        reached.add(operation[:2])
    assert reached == {one[:2] for one in operations(schema)}


def test_every_parameter_can_be_given_and_is_described(schema: dict[str, Any], calls: dict[str, Sent]) -> None:
    given: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for name, sent in calls.items():
        operation = operation_of(schema, sent)
        assert operation is not None
        assert {("query", one) for one in sent.query} <= described(operation[2]), name
        given[operation[:2]] |= {("query", one) for one in sent.query} | {("header", one) for one in sent.headers}
    for method, path, operation_ in operations(schema):
        assert described(operation_) <= given[method, path], (method, path)


def described(operation: dict[str, Any]) -> set[tuple[str, str]]:
    """Parameters of the operation, without those that stand in its path, or that a caller does not give."""
    found = {(one["in"], one["name"].lower()) for one in operation.get("parameters", ()) if one["in"] != "path"}
    return found - {("header", name) for name in HEADERS_BY_THE_CLIENT_ITSELF | HEADERS_OF_NO_USE}


def test_bodies_are_of_the_kind_that_is_described(schema: dict[str, Any], calls: dict[str, Sent]) -> None:
    for name, sent in calls.items():
        operation = operation_of(schema, sent)
        assert operation is not None
        content = operation[2].get("requestBody", {}).get("content", {})
        assert set(content) == ({sent.content_type} if sent.content_type else set()), name
        if sent.content_type == "application/json":
            json.loads(sent.body)


def test_these_samples_say_everything() -> None:
    assert all(getattr(OPTIONS, field.name) is not None for field in fields(OPTIONS))
    assert set(FILTERS) == set(DocumentFilters.__annotations__)
