"""What the pages say exists does exist: links, commands, options, make targets and settings."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.docs.pages import ROOT, code_spans, commands, links, pages
from typer.core import TyperGroup

from skillnet_chunker.settings import ChunkerSettings
from skillnet_cli.main import app
from skillnet_dispatcher.settings import DispatcherSettings
from skillnet_embedder.settings import EmbedderSettings
from skillnet_gateway.settings import GatewaySettings
from skillnet_inference.settings import EmbeddingSettings
from skillnet_notifier.settings import NotifierSettings
from skillnet_parser.settings import ParserSettings
from skillnet_retriever.settings import RetrieverSettings

PAGES = [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages()]
SETTINGS = (
    GatewaySettings,
    DispatcherSettings,
    ParserSettings,
    ChunkerSettings,
    EmbedderSettings,
    EmbeddingSettings,
    RetrieverSettings,
    NotifierSettings,
)
OF_THE_COMMAND = {"SKILLNET_"}
_TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [target for target in links(page) if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_named_command_and_option_exists(page: Path) -> None:
    root = typer.main.get_command(app)
    assert [fault for words in commands(page, "skillnet") if (fault := _fault(root, words))] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_named_make_target_exists(page: Path) -> None:
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    named = {
        word
        for words in commands(page, "make")
        for word in takewhile(lambda word: "#" not in word, words)
        if not word.startswith("-") and "=" not in word and word.isascii()
    }
    assert named - targets == set()


def test_make_help_says_what_each_target_is_for() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    described = set(re.findall(r"^([a-z][a-z-]*):.*## \S", text, re.MULTILINE))
    assert set(_TARGET.findall(text)) - described == set()
    assert described >= {"demo", "up", "test", "check-long", "eval", "bench", "lint", "format", "docs"}


def test_every_setting_of_the_readme_is_read_by_a_service() -> None:
    known = {
        f"{settings.model_config.get('env_prefix', '')}{name}".upper()
        for settings in SETTINGS
        for name in settings.model_fields
    }
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("### Settings")[2].partition("\n## ")[0]
    variables = {
        name
        for span in re.findall(r"`([^`\n]+)`", table)
        for name in _VARIABLE.findall(span)
        if not any(name.startswith(prefix) for prefix in OF_THE_COMMAND)
    }
    assert variables, "the README names no setting"
    assert {name for name in variables if not any(field.endswith(name) for field in known)} == set()


def test_the_checks_see_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[gone](nowhere.md) `skillnet serve` `skillnet up --colour` `skillnet up --port 1`\n")
    assert links(page) == ["nowhere.md"]
    root = typer.main.get_command(app)
    assert [_fault(root, words) for words in commands(page, "skillnet")] == ["serve", "up --colour", None]
    assert code_spans(page)[0] == "skillnet serve"


def _fault(command: Any, words: list[str]) -> str | None:
    """What in the words names nothing; None where all of it exists. `[…]` and `A|B` are the pages' own notation."""
    path: list[str] = []
    rest = list(words)
    while isinstance(command, TyperGroup) and rest and re.fullmatch(r"[a-z][a-z-]*[,;.]?", rest[0]):
        name = rest.pop(0).rstrip(",;.")
        path.append(name)
        found = command.commands.get(name)
        if found is None:
            return " ".join(path)
        command = found
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", " ".join(rest)):
        if option not in options | {"--help"}:
            return " ".join([*path, option])
    return None
