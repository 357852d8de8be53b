"""What the commands that show context, ground and key print for people and for programs."""

from __future__ import annotations

import json

import httpx
import pytest

from skillnet_cli.exits import Exit

from .answering import description, example, run


def described(method: str, path: str) -> dict[str, object]:
    reply = description()["paths"][path][method]["responses"]["200"]["content"]["application/json"]
    found: dict[str, object] = reply["example"]
    return found


def printed(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    done = run(monkeypatch, example, *arguments)
    assert done.exit_code == Exit.OK, done.output
    return str(done.output)


@pytest.mark.parametrize(
    ("command", "method", "path"),
    [("context x", "post", "/v1/context"), ("ground x", "post", "/v1/ground"), ("me", "get", "/v1/me")],
)
def test_programs_get_the_reply_as_it_is(
    monkeypatch: pytest.MonkeyPatch, command: str, method: str, path: str
) -> None:
    said = json.loads(printed(monkeypatch, *command.split(), "--json"))
    assert described(method, path).items() <= said.items()


def test_people_see_the_block_of_context_and_its_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = described("post", "/v1/context")
    shown = printed(monkeypatch, "context", "x")
    assert str(reply["context"]) in shown
    assert f"{reply['token_count']} of {reply['token_budget']} tokens" in shown


def test_people_see_the_ground_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = described("post", "/v1/ground")
    shown = printed(monkeypatch, "ground", "x")
    assert "passages of the documents" in shown
    assert str(reply["reason"]) in shown


@pytest.mark.parametrize(
    ("rung", "words"),
    [
        ("chunks", "Stands on passages of the documents: "),
        ("document", "Stands on a whole document: "),
        ("general", "Stands on general knowledge, not the documents: "),
        ("none", "Stands on nothing: "),
    ],
)
def test_an_answer_says_in_words_on_what_it_stands(monkeypatch: pytest.MonkeyPatch, rung: str, words: str) -> None:
    reply = {**described("post", "/v1/ask"), "rung": rung}
    question = "¿Cuántos días de vacaciones tengo?"
    shown = run(monkeypatch, lambda _: httpx.Response(200, json=reply), "ask", question, "--no-stream")
    assert words + str(reply["reason"]) in shown.output
    assert f" {rung}: {reply['reason']}" not in shown.output.replace(words, "")
    plain = run(monkeypatch, lambda _: httpx.Response(200, json=reply), "ask", question, "--json")
    assert json.loads(plain.output)["rung"] == rung


def test_people_see_whose_key_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = described("get", "/v1/me")
    shown = printed(monkeypatch, "me")
    assert str(reply["organization"]) in shown
    assert str(reply["key_id"]) in shown
    assert "sees documents of" in shown
