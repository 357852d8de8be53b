"""Whatever narrows a search over HTTP can be typed, with the same option for every command that asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from skillnet_cli.exits import Exit
from skillnet_common.contracts.answers import AskRequest
from skillnet_common.contracts.base import Request
from skillnet_common.contracts.retrieval import ContextRequest, Filters, GroundRequest, SearchRequest

from .answering import example, run

ID = "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10"
FILTERS: dict[str, tuple[list[str], object]] = {
    "document_ids": (["--document", ID], [ID]),
    "course_id": (["--course", "c"], "c"),
    "subject_id": (["--subject", "s"], "s"),
    "entity_id": (["--entity", "e"], "e"),
    "taxonomy_prefix": (["--taxonomy", "a/b"], "a/b"),
    "language": (["--language", "es"], "es"),
    "file_type": (["--type", "pdf"], "pdf"),
    "section_path": (["--section-path", "Manual", "--section-path", "Vales"], ["Manual", "Vales"]),
    "page_from": (["--page-from", "2"], 2),
    "page_to": (["--page-to", "3"], 3),
    "updated_after": (["--updated-after", "2026-01-01"], "2026-01-01T00:00:00Z"),
    "updated_before": (["--updated-before", "2027-01-01T08:30:00+01:00"], "2027-01-01T07:30:00Z"),
    "metadata": (["--metadata", "year=2026", "--metadata", "area=ventas"], {"year": 2026, "area": "ventas"}),
}
REST: dict[str, tuple[list[str], object]] = {
    "strategy": (["--strategy", "keyword"], "keyword"),
    "fusion": (["--fusion", "rrf"], "rrf"),
    "alpha": (["--alpha", "0.25"], 0.25),
    "late_interaction": (["--no-late-interaction"], False),
    "rerank": (["--no-rerank"], False),
    "limit": (["--limit", "3"], 3),
    "token_budget": (["--token-budget", "500"], 500),
    "token_encoding": (["--token-encoding", "cl100k_base"], "cl100k_base"),
    "allow_general": (["--no-general"], False),
    "allow_document": (["--no-document"], False),
    "earlier": (["--earlier", "a", "--earlier", "b"], ["a", "b"]),
    "variants": (["--variant", "c"], ["c"]),
    "outline_parts": (["--part", "m1", "--part", "m2"], ["m1", "m2"]),
    "offset": (["--offset", "8"], 8),
    "expansion": (["--expansion", "hyde"], "hyde"),
    "history": (["--earlier", "a"], [{"question": "a"}]),
}
COMMANDS: dict[str, type[Request]] = {
    "search": SearchRequest,
    "context": ContextRequest,
    "ground": GroundRequest,
    "ask": AskRequest,
}
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs a command and returns the body of the question that the gateway gets."""

    def ask(command: str, *options: str) -> dict[str, Any]:
        bodies: list[dict[str, Any]] = []

        def answer(request: httpx.Request) -> httpx.Response:
            if request.method == "GET":
                return example(request)
            bodies.append(json.loads(request.read()))
            return httpx.Response(500)

        done = run(monkeypatch, answer, command, "x", "--json", *options)
        assert done.exit_code == Exit.UNAVAILABLE, done.output
        (body,) = bodies
        return body

    return ask


def test_these_options_are_for_every_field() -> None:
    assert set(FILTERS) == set(Filters.model_fields)
    of_requests = {name for request in COMMANDS.values() for name in request.model_fields}
    assert set(REST) == of_requests - {"query", "question", "filters", "language", "stream"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_filter_reaches_the_gateway(sent: Ask, command: str) -> None:
    options = [word for words, _ in FILTERS.values() for word in words]
    assert sent(command, *options)["filters"] == {name: value for name, (_, value) in FILTERS.items()}


@pytest.mark.parametrize(("command", "request_type"), COMMANDS.items())
def test_every_other_field_of_the_request_reaches_the_gateway(
    sent: Ask, command: str, request_type: type[Request]
) -> None:
    taken = {name: REST[name] for name in REST if name in request_type.model_fields}
    body = sent(command, *[word for words, _ in taken.values() for word in words])
    assert {name: body[name] for name in taken} == {name: value for name, (_, value) in taken.items()}


@pytest.mark.parametrize(("command", "request_type"), COMMANDS.items())
def test_what_is_not_given_is_as_the_api_has_it(sent: Ask, command: str, request_type: type[Request]) -> None:
    word = "question" if command == "ask" else "query"
    # `exclude_none`: a filter that is null narrows nothing, as one that is left out.
    said = request_type.model_validate(sent(command)).model_dump(exclude_none=True)
    assert said == request_type.model_validate({word: "x"}).model_dump(exclude_none=True)


def test_the_language_of_the_answer_is_another_than_the_documents(sent: Ask) -> None:
    body = sent("ask", "--answer-language", "en", "--language", "es")
    assert (body["language"], body["filters"]["language"]) == ("en", "es")
