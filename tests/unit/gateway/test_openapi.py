"""The published description of the API is whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from unittest.mock import create_autospec

import pytest
from pydantic import BaseModel

from skillnet_common.contracts.answers import AskRequest
from skillnet_common.contracts.keys import KeyRequest
from skillnet_common.contracts.organizations import OrganizationChange, PromptChange
from skillnet_common.contracts.problems import PROBLEM_MEDIA_TYPE
from skillnet_common.contracts.usage import Usage
from skillnet_gateway.api import create_api
from skillnet_gateway.gateway import Gateway
from skillnet_gateway.templates import require_template


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return create_api(create_autospec(Gateway, instance=True)).openapi()


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    text = json.dumps(schema)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= set(schema["components"]["schemas"])
    assert "Problem" in names
    assert "HTTPValidationError" not in names, "errors have one form"


def test_every_operation_under_v1_needs_the_key_and_describes_its_errors(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        assert operation["summary"], name
        if "/v1/" not in name:
            continue
        assert operation["security"], name
        problems = {
            status: reply
            for status, reply in operation["responses"].items()
            if PROBLEM_MEDIA_TYPE in reply.get("content", {})
        }
        assert {"401", "503"} <= set(problems), name
        assert all(int(status) >= 400 for status in problems), name
        if "{document_id}" in name:
            assert "404" in problems, name


def test_files_are_described_as_raw_bytes(schema: dict[str, Any]) -> None:
    operation = schema["paths"]["/v1/documents"]["post"]
    assert list(operation["requestBody"]["content"]) == ["application/octet-stream"]
    assert {"200", "201", "202", "413"} <= set(operation["responses"])
    names = {(one["in"], one["name"]) for one in operation["parameters"]}
    assert {
        ("query", "filename"),
        ("query", "metadata"),
        ("query", "course_id"),
        ("header", "Idempotency-Key"),
    } <= names


@pytest.mark.parametrize("path", ["/v1/search", "/v1/context", "/v1/ground", "/v1/ask"])
def test_questions_have_examples(schema: dict[str, Any], path: str) -> None:
    body = schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    assert body["examples"]
    reply = schema["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]
    assert reply["schema"]["$ref"].endswith("Reply")


@pytest.mark.parametrize(
    ("method", "path", "model"),
    [
        ("post", "/v1/ask", AskRequest),
        ("post", "/v1/keys", KeyRequest),
        ("patch", "/v1/organization", OrganizationChange),
        ("put", "/v1/organization/prompt", PromptChange),
    ],
)
def test_examples_are_requests_that_the_api_takes(
    schema: dict[str, Any], method: str, path: str, model: type[BaseModel]
) -> None:
    examples = schema["paths"][path][method]["requestBody"]["content"]["application/json"]["examples"]
    for example in examples.values():
        request = model.model_validate(example["value"])
        if isinstance(request, PromptChange):
            require_template(request.template)


def test_the_usage_is_shown_by_an_example(schema: dict[str, Any]) -> None:
    reply = schema["paths"]["/v1/usage"]["get"]["responses"]["200"]["content"]["application/json"]
    assert Usage.model_validate(reply["example"]).totals


def test_the_events_of_a_streamed_answer_are_described(schema: dict[str, Any]) -> None:
    content = schema["paths"]["/v1/ask"]["post"]["responses"]["200"]["content"]
    assert content["text/event-stream"]["schema"]["$ref"].endswith("/AskEvent")
    lines = content["text/event-stream"]["example"].splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert kinds == ["ground", "delta", "citation", "done"]
    for line in lines:
        if line.startswith("data: "):
            assert json.loads(line.removeprefix("data: "))["kind"] in kinds
    citation = schema["components"]["schemas"]["Citation"]["properties"]
    assert {"number", "source_id", "document_id", "section_path", "page_start", "char_start"} <= set(citation)
