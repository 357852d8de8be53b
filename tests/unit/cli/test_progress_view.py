"""What an ingest shows of its progress: true at every moment, short for hundreds of files."""

from __future__ import annotations

import io
import random
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from rich.console import Console

from skillnet_cli import progress_display
from skillnet_cli.progress_display import ProgressDisplay
from skillnet_cli.progress_view import lines, percent, summary, tally
from skillnet_common.contracts.documents import DocumentStatus, DocumentSummary, VersionProgress, VersionState

_STAGES = {VersionState.UPLOADED: "parse", VersionState.PARSED: "chunk", VersionState.EMBEDDING: "embed"}
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def document(state: VersionState, done: int = 0, of: int = 0, ahead: int | None = 0, **more: Any) -> DocumentSummary:
    stage = _STAGES.get(state)
    progress = (
        VersionProgress(stage=stage, batches_done=done, batches_total=of, waiting_ahead=ahead) if stage else None
    )
    values: dict[str, Any] = {
        "document_id": uuid4(),
        "source": "upload",
        "external_key": "k",
        "title": "Manual",
        "status": DocumentStatus.PROCESSING,
        "file_type": None,
        "page_count": None,
        "page_count_estimated": False,
        "language": None,
        "live_version": None,
        "newest_version": 1,
        "newest_state": state,
        "progress": progress,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return DocumentSummary(**{**values, **more})


READY, FAILED = document(VersionState.READY), document(VersionState.FAILED)
MIXED = [
    READY,
    FAILED,
    document(VersionState.UPLOADED, ahead=12),
    document(VersionState.UPLOADED, ahead=40),
    document(VersionState.PARSED),
    document(VersionState.EMBEDDING, 3, 10),
    document(VersionState.EMBEDDING, 9, 30, ahead=7),
]


def test_the_summary_says_stage_batches_and_place() -> None:
    assert summary(tally(MIXED, 8)) == (
        "1 of 8 live, 1 failed, 1 deleted; parse 2, chunk 1, embed 2 (28 batches to go);"
        " 3 wait, about 7 pieces ahead of the next"
    )
    assert summary(tally([READY], 1)) == "1 of 1 live"
    assert summary(tally([document(VersionState.UPLOADED, ahead=1)], 1)) == (
        "0 of 1 live; parse 1; 1 wait, about 1 piece ahead of the next"
    )


def test_the_documents_furthest_on_come_first_and_the_rest_is_counted() -> None:
    names = {one.document_id: f"{number}.pdf" for number, one in enumerate(MIXED)}
    text = lines(MIXED, names, tally(MIXED, 7), 31, rows=3, width=80)
    assert text[0] == f"Reading [{'=' * 7}{' ' * 17}]  31 %"
    assert [line.split() for line in text[2:5]] == [
        ["embed", "3/10", "5.pdf"],
        ["embed", "9/30", "7", "ahead", "6.pdf"],
        ["chunk", "4.pdf"],
    ]
    assert text[5:] == ["  … and 2 more under way"]


def test_hundreds_of_files_take_a_few_lines_of_the_terminals_width() -> None:
    many = [document(VersionState.UPLOADED, ahead=place) for place in range(500)]
    names = {one.document_id: "a very long name of a file " * 9 for one in many}
    text = lines(many, names, tally(many, 500), 0, rows=8, width=60)
    assert len(text) == 11
    assert max(map(len, text)) <= 60


def test_a_retry_that_is_not_due_says_so() -> None:
    waits = document(VersionState.EMBEDDING, 1, 4, ahead=None)
    (_, _, line) = lines([waits], {waits.document_id: "a.pdf"}, tally([waits], 1), 0, rows=8, width=80)
    assert line.split() == ["embed", "1/4", "to", "be", "tried", "again", "a.pdf"]


def test_nothing_but_the_end_is_a_hundred_percent() -> None:
    last = document(VersionState.EMBEDDING, 40, 40)
    almost = [document(VersionState.READY) for _ in range(999)] + [last]
    assert percent(tally(almost, 1000), 0) == 99
    assert percent(tally([last], 1), 0) < 100
    assert percent(tally([READY, FAILED], 3), 0) == 100, "one was deleted: nothing is left to wait for"
    assert percent(tally([], 0), 0) == 100


@pytest.mark.parametrize("seed", range(20))
def test_the_bar_never_runs_backwards(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    states = [*_STAGES, VersionState.READY, VersionState.FAILED]
    shown = 0
    for _ in range(50):  # states that even go back, as when a version is replayed
        batches = chance.randint(1, 9)
        some = [document(chance.choice(states), chance.randint(0, batches), batches) for _ in range(5)]
        now = tally(some, 5)
        next_shown = percent(now, shown)
        assert next_shown >= shown
        assert (next_shown == 100) <= (now.ended == 5)
        if next_shown == 100:
            return
        shown = next_shown


def test_progress_of_one_document_only_grows_on_its_way() -> None:
    way = [
        document(VersionState.UPLOADED, ahead=9),
        document(VersionState.UPLOADED),
        document(VersionState.PARSED),
        *(document(VersionState.EMBEDDING, done, 4) for done in range(5)),
        READY,
    ]
    seen = [tally([one], 1).fraction for one in way]
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-2] < seen[-1] == 1


def shown_by(*, terminal: bool, quiet: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=70)
    names: dict[UUID, str] = {one.document_id: "a.pdf" for one in MIXED}
    with ProgressDisplay(console, quiet=quiet) as display:
        for _ in range(7):
            display.uploaded(7)
        for _ in range(3):
            display.reading(MIXED, names)
        display.reading([READY] * 7, names)
    return out.getvalue()


def test_without_a_terminal_there_are_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_display, "_PLAIN_SECONDS", 0.0)
    assert shown_by(terminal=False).splitlines() == [
        *(f"Uploading: {number} of 7" for number in range(1, 8)),
        f"Reading: {summary(tally(MIXED, 7))}",
        "Reading: 7 of 7 live",
    ]


def test_plain_lines_come_now_and_then_but_the_last_one_always() -> None:
    assert shown_by(terminal=False).splitlines() == [
        "Uploading: 1 of 7",
        "Uploading: 7 of 7",
        "Reading: 7 of 7 live",
    ]


def test_a_terminal_is_drawn_over() -> None:
    text = shown_by(terminal=True)
    assert "Reading [" in text
    assert "\x1b[" in text


def test_quiet_says_nothing() -> None:
    assert shown_by(terminal=True, quiet=True) == shown_by(terminal=False, quiet=True) == ""
