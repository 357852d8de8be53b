"""`make demo` twice in a row: answers with title, section and page, and nothing doubled."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.temporary import temporary_folder

from .system import clean_environment

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions_demo.json").read_text(encoding="utf-8"))
DOCUMENTS = sorted(path.name for path in (EXAMPLES / "documents").iterdir())

_COUNTS = {
    "documents": "SELECT count(*) FROM documents WHERE deleted_at IS NULL AND processing_status = 'ready'",
    "versions": "SELECT count(*) FROM document_versions",
    "parsed": "SELECT count(*) FROM work WHERE stage = 'parse'",
    "events": "SELECT count(*) FROM outbox WHERE sent_at IS NOT NULL",
    "accounts": "SELECT count(*) FROM api_keys",
}


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A data folder whose path has spaces and accents."""
    with temporary_folder("demostración", in_memory=True) as folder:
        yield folder / "año 2026"


@pytest.fixture(scope="module")
def first(data: Path) -> str:
    """What the first run prints."""
    return run_demo(data)


@pytest.fixture(scope="module")
def second(data: Path, first: str) -> str:
    """What a second run in the same folder prints."""
    return run_demo(data)


def run_demo(data: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "demo.py")],
        env=clean_environment({"SKILLNET_DEMO_DATA": str(data)}),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_first_run_reads_every_document(first: str) -> None:
    assert f"{len(DOCUMENTS)} ready" in first.splitlines()


def test_the_second_run_finds_every_document_unchanged(second: str) -> None:
    assert f"{len(DOCUMENTS)} unchanged" in second.splitlines()


@pytest.mark.parametrize("entry", QUESTIONS, ids=lambda entry: entry["kind"])
def test_each_question_is_answered_with_title_section_and_page(
    entry: Mapping[str, Any], first: str, second: str, titles: Mapping[str, str]
) -> None:
    for output in (first, second):
        block = output.split(entry["question"], 1)[1].split("\n\n", 1)[0]
        sources = [line for line in block.splitlines() if line.lstrip().startswith("[Fuente ")]
        cited = [line for line in sources if titles[entry["document"]] in line and entry["section"] in line]
        assert any(page_range_holds(line, entry["page"]) for line in cited), block


def page_range_holds(line: str, page: int) -> bool:
    """Whether `…, pág. 3` or `…, págs. 3-4` names the page."""
    found = re.search(r"págs?\.\s*(\d+)(?:-(\d+))?$", line)
    return found is not None and int(found[1]) <= page <= int(found[2] or found[1])


@pytest.fixture(scope="module")
async def counts(data: Path, second: str) -> dict[str, int]:
    """What the database holds after both runs."""
    return {name: (await rows(data, question))[0][0] for name, question in _COUNTS.items()}


@pytest.fixture(scope="module")
async def titles(data: Path, second: str) -> dict[str, str]:
    """The title of each document's file."""
    found = await rows(data, "SELECT external_key, title FROM documents")
    return {row["external_key"]: row["title"] for row in found}


async def rows(data: Path, question: str) -> list[asyncpg.Record]:
    """The answer of the stopped stack's database, as its superuser."""
    with EmbeddedPostgres(data / "postgres") as server:
        connection = await asyncpg.connect(server.url("skillnet"), server_settings={"search_path": "skillnet"})
        try:
            return list(await connection.fetch(question))
        finally:
            await connection.close()


def test_two_runs_double_nothing(counts: Mapping[str, int]) -> None:
    one_each = len(DOCUMENTS)
    assert counts == {
        "documents": one_each,
        "versions": one_each,
        "parsed": one_each,
        "events": one_each,
        "accounts": 1,
    }
