"""The published description of the API is whole."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from typing import Any
from unittest.mock import create_autospec

import pytest
from pydantic import BaseModel

from skillnet_common import contracts
from skillnet_common.contracts.answers import AskEvent
from skillnet_common.contracts.bulk import BULK_LINE
from skillnet_common.contracts.organizations import PromptChange
from skillnet_common.contracts.problems import PROBLEM_MEDIA_TYPE
from skillnet_common.contracts.progress import ProgressEvent
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


def contract_models() -> dict[str, type[BaseModel]]:
    """Every model of the contracts, by its name in the description."""
    found: dict[str, type[BaseModel]] = {}
    for module in pkgutil.iter_modules(contracts.__path__, f"{contracts.__name__}."):
        for name, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(one, BaseModel):
                found[name] = one
    return found


MODELS = contract_models()


def model_of(content: dict[str, Any]) -> type[BaseModel]:
    return MODELS[content["schema"]["$ref"].rpartition("/")[2]]


def test_every_body_has_an_example_that_the_api_takes(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            assert content["examples"], name
            if kind != "application/json":
                continue
            for example in content["examples"].values():
                request = model_of(content).model_validate(example["value"])
                if isinstance(request, PromptChange):
                    require_template(request.template)


def test_every_reply_has_an_example_with_all_that_it_says(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        for status, reply in operation["responses"].items():
            content = reply.get("content", {}).get("application/json")
            if "/v1/" not in name or not status.startswith("2") or content is None:
                continue
            example, model = content["example"], model_of(content)
            read = model.model_validate(example).model_dump(mode="json")
            assert without_defaults(example, read) == example, f"{name}: fields that {model.__name__} does not have"


def without_defaults(example: Any, read: Any) -> Any:
    """What was read, as far as the example says it."""
    if isinstance(example, dict) and isinstance(read, dict):
        return {key: without_defaults(value, read[key]) for key, value in example.items() if key in read}
    if isinstance(example, list) and isinstance(read, list):
        return [without_defaults(one, other) for one, other in zip(example, read, strict=True)]
    return read


def test_lines_and_events_of_streams_are_what_their_models_say(schema: dict[str, Any]) -> None:
    bulk = schema["paths"]["/v1/documents/bulk"]["post"]["responses"]["200"]["content"]["application/x-ndjson"]
    lines = [BULK_LINE.validate_json(line) for line in bulk["example"].splitlines()]
    assert [line.kind for line in lines] == ["file", "file", "summary"]
    path = "/v1/documents/{document_id}/progress"
    stream = schema["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"]
    events = [
        ProgressEvent.model_validate_json(line.removeprefix("data:"))
        for line in stream["example"].splitlines()
        if line.startswith("data:")
    ]
    assert [event.kind for event in events] == ["progress", "ended"]
    assert all(f"id: {event.event_id}\n" in stream["example"] for event in events)


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
            assert AskEvent.model_validate_json(line.removeprefix("data: ")).kind in kinds
    citation = schema["components"]["schemas"]["Citation"]["properties"]
    assert {"number", "source_id", "document_id", "section_path", "page_start", "char_start"} <= set(citation)
