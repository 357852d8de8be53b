"""Commands against a gateway that answers with the examples of its own description."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest.mock import create_autospec

import httpx
import pytest
from typer.testing import CliRunner

from skillnet_cli.main import app
from skillnet_cli.target import Target
from skillnet_client import RetryPolicy, SkillnetClient
from skillnet_gateway.api import create_api
from skillnet_gateway.gateway import Gateway

Operation = tuple[str, str]
Answer = Callable[[httpx.Request], httpx.Response]


@cache
def description() -> dict[str, Any]:
    """The gateway's OpenAPI document."""
    return create_api(create_autospec(Gateway, instance=True)).openapi()


def operations() -> list[Operation]:
    """Method and path of all that a key may ask; those without parameters first, as the app matches them."""
    paths = sorted((path for path in description()["paths"] if path.startswith("/v1/")), key=lambda path: "{" in path)
    return [(method.upper(), path) for path in paths for method in description()["paths"][path]]


def operation_of(request: httpx.Request) -> Operation:
    """The operation that a request asks."""
    for method, path in operations():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))
        if method == request.method and re.fullmatch(pattern, request.url.path):
            return method, path
    raise AssertionError(f"{request.method} {request.url.path} is not described")


def example(request: httpx.Request) -> httpx.Response:
    """The described example of a reply."""
    method, path = operation_of(request)
    content = description()["paths"][path][method.lower()]["responses"]["200"]["content"]["application/json"]
    return httpx.Response(200, json=content["example"])


def run(monkeypatch: pytest.MonkeyPatch, answer: Answer, *arguments: str) -> Any:
    """Runs a command whose requests get these answers; the result of Typer's runner."""

    def connect(target: Target) -> SkillnetClient:
        client = SkillnetClient(target.url, target.api_key, retry=RetryPolicy(retries=0))
        client._http.close()
        client._http = httpx.Client(base_url=target.url, transport=httpx.MockTransport(answer))
        return client

    monkeypatch.setenv("SKILLNET_URL", "http://gateway")
    monkeypatch.setenv("SKILLNET_API_KEY", "key")
    monkeypatch.setattr(Target, "client", connect)
    return CliRunner().invoke(app, arguments)
