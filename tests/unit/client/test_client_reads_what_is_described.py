"""Every method of both clients reads the reply as the model that the API's description names."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import httpx
import pytest
from pydantic import BaseModel

from skillnet_client import AsyncSkillnetClient, RetryPolicy, SkillnetClient
from skillnet_client.aio import connection as async_connection
from skillnet_client.aio import documents as async_documents
from skillnet_client.aio import following as async_following
from skillnet_client.aio import questions as async_questions
from skillnet_client.sync import connection, documents, following, questions

from .test_client_covers_the_api import OF_SEVERAL_CALLS, Sent, arguments, calls, operation_of, schema

__all__ = ["calls", "schema"]
READERS: dict[str, tuple[str, tuple[ModuleType, ...]]] = {
    "read_reply": ("application/json", (connection, async_connection)),
    "read_event": ("text/event-stream", (questions, following, async_questions, async_following)),
    "read_line": ("application/x-ndjson", (documents, async_documents)),
}
Reads = tuple[str, frozenset[str]]
NOTHING: Reads = ("", frozenset())
A_FILE: Reads = ("application/octet-stream", frozenset())


class Reading(Exception):
    """What a method is about to read a reply as."""

    def __init__(self, reads: Reads) -> None:
        super().__init__(reads)
        self.reads = reads


def told_by(reader: Callable[..., Any], content_type: str) -> Callable[..., None]:
    """A reader that tells what it would have read; one without a parameter for the model reads what it returns."""
    returned = get_args(get_type_hints(reader)["return"])

    def tell(_body: object, kind: type[BaseModel] | None = None) -> None:
        models = [kind] if kind else [one for one in returned if one is not type(None)]
        raise Reading((content_type, frozenset(model.__name__ for model in models)))

    return tell


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (content_type, modules) in READERS.items():
        for module in modules:
            monkeypatch.setattr(module, name, told_by(getattr(module, name), content_type))


def answer(_request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"a line\n")


def methods_of(client: object) -> list[tuple[str, Any]]:
    found = inspect.getmembers(client, inspect.ismethod)
    return [(name, one) for name, one in found if not name.startswith("_") and name not in OF_SEVERAL_CALLS]


def read_by_sync(folder: Path) -> dict[str, Reads]:
    found = {}
    with SkillnetClient("http://gateway", "key", retry=RetryPolicy(retries=0)) as client:
        client._http.close()
        client._http = httpx.Client(base_url="http://gateway", transport=httpx.MockTransport(answer))
        for name, method in methods_of(client):
            found[name] = NOTHING
            try:
                result = method(**arguments(name, method, folder))
                if inspect.isgenerator(result):
                    list(result)
            except Reading as reading:
                found[name] = reading.reads
    return found


async def read_by_async(folder: Path) -> dict[str, Reads]:
    found = {}
    async with AsyncSkillnetClient("http://gateway", "key", retry=RetryPolicy(retries=0)) as client:
        await client._http.aclose()
        client._http = httpx.AsyncClient(base_url="http://gateway", transport=httpx.MockTransport(answer))
        for name, method in methods_of(client):
            if name == "aclose":
                continue
            found[name] = NOTHING
            try:
                result = method(**arguments(name, method, folder))
                if inspect.isasyncgen(result):
                    [one async for one in result]
                else:
                    await result
            except Reading as reading:
                found[name] = reading.reads
    return found


def described(operation: dict[str, Any]) -> set[Reads]:
    """What the successful replies of an operation hold; a file is written, not read as a model."""
    found = set()
    for status, reply in operation["responses"].items():
        if not status.startswith("2"):
            continue
        for content_type, content in reply.get("content", {}).items():
            models = content["schema"].get("oneOf", [content["schema"]])
            found.add((content_type, frozenset(one["$ref"].rpartition("/")[2] for one in models if "$ref" in one)))
    return {NOTHING if reads == A_FILE else reads for reads in found} or {NOTHING}


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_reply_is_read_as_the_model_that_is_described(
    kind: str, schema: dict[str, Any], calls: dict[str, Sent], tmp_path: Path
) -> None:
    read = read_by_sync(tmp_path) if kind == "sync" else asyncio.run(read_by_async(tmp_path))
    assert set(read) == set(calls)
    for name, reads in read.items():
        operation = operation_of(schema, calls[name])
        assert operation is not None, name
        assert reads in described(operation[2]), name
