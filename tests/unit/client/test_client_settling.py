"""Waiting for uploads to end."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from skillnet_client.settling import Settling
from skillnet_common.contracts.documents import DocumentStatus, DocumentSummary, VersionState


def summary(number: int, state: VersionState) -> DocumentSummary:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    return DocumentSummary(
        document_id=UUID(int=number),
        source="upload",
        external_key=str(number),
        title="t",
        status=DocumentStatus.PROCESSING,
        file_type=None,
        page_count=None,
        page_count_estimated=False,
        language=None,
        live_version=None,
        newest_version=1,
        newest_state=state,
        created_at=now,
        updated_at=now,
    )


def test_it_is_over_when_every_document_has_ended_or_is_gone() -> None:
    told: list[int] = []
    settling = Settling((UUID(int=n) for n in (1, 2, 3, 1)), lambda documents: told.append(len(documents)))
    assert settling.batches() == [[UUID(int=1), UUID(int=2), UUID(int=3)]]
    settling.observe(
        [summary(1, VersionState.FAILED), summary(2, VersionState.PARSED), summary(3, VersionState.PARSED)]
    )
    assert not settling.is_over
    assert settling.batches() == [[UUID(int=2), UUID(int=3)]]
    settling.observe([summary(2, VersionState.READY)])
    assert settling.is_over
    assert {one: seen.newest_state for one, seen in settling.seen.items()} == {
        UUID(int=1): VersionState.FAILED,
        UUID(int=2): VersionState.READY,
    }
    assert told == [3, 2]


def test_many_documents_are_asked_for_in_pages() -> None:
    settling = Settling([UUID(int=n) for n in range(250)], None)
    assert [len(batch) for batch in settling.batches()] == [100, 100, 50]


def test_nothing_to_wait_for_is_over() -> None:
    assert Settling([], None).is_over
