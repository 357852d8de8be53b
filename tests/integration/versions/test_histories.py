"""Long random histories of one document: faults, vanished workers, late results, cancellations, re-uploads."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.auth import create_organization
from skillnet_common.contracts.work import WorkMessage
from skillnet_common.database import Database
from skillnet_common.versions import document_id_for
from skillnet_common.work import Claim
from skillnet_dispatcher.loops.archive import Archive
from skillnet_dispatcher.loops.reap import Reap

KEY = "manual"
MAX_ATTEMPTS = 3


@dataclass
class History:
    """One document and everything that happens to it; each event takes a number to choose by."""

    pipeline: Pipeline
    observer: Observer
    reap: Reap
    archive: Archive
    held: list[Claim] = field(default_factory=list)
    sent: list[WorkMessage] = field(default_factory=list)
    wanted: tuple[int, str] | None = None
    """The version and text of the last upload, while nothing has ended that version."""

    @property
    def document_id(self) -> UUID:
        return document_id_for(self.pipeline.org_id, "upload", KEY)

    async def upload(self, choice: int) -> None:
        text = f"text {choice % 2}"
        result = await self.pipeline.upload(KEY, text)
        self.wanted = (result.version, text)

    async def claim(self, choice: int) -> None:
        due = await self.pipeline.due()
        if due:
            message = due[choice % len(due)]
            self.sent.append(message)
            claim = await self.pipeline.table.claim(message)
            if claim is not None:
                self.held.append(claim)

    async def complete(self, choice: int) -> None:
        if claim := await self._take(choice):
            await self.pipeline.complete(claim)

    async def fail(self, choice: int) -> None:
        if (claim := await self._take(choice)) and await self.pipeline.fail(claim) == "failed":
            self._ended(claim.version)

    async def retry(self, choice: int) -> None:
        if claim := await self._take(choice):
            await self.pipeline.table.retry_later(claim, "test")

    async def give_back(self, choice: int) -> None:
        if claim := await self._take(choice):
            await self.pipeline.table.give_back(claim)

    async def vanish(self, choice: int) -> None:
        """A worker dies with its claim."""
        if claim := await self._take(choice):
            await self._expire(claim)

    async def stall(self, choice: int) -> None:
        """A worker is cut off until its lease has run out, and comes back with its result later."""
        if claim := await self._take(choice):
            self.held.append(claim)
            await self._expire(claim)

    async def progress(self, choice: int) -> None:
        """All goes well for a while."""
        for _ in range(choice % 4 + 1):
            await self.complete(choice)

    async def redeliver(self, choice: int) -> None:
        if self.sent:
            await self.pipeline.deliver(self.sent[choice % len(self.sent)])

    async def delete(self, _: int) -> None:
        self.observer.deleted(self.document_id, await self.pipeline.delete(self.document_id))
        self.wanted = None

    async def cancel(self, choice: int) -> None:
        async with self.pipeline.database.tenant(self.pipeline.org_id) as connection:
            rows = await connection.fetch(
                "SELECT version FROM document_versions WHERE org_id = $1"
                " AND state IN ('uploaded', 'parsed', 'embedding') ORDER BY version",
                self.pipeline.org_id,
            )
        if rows:
            version = rows[choice % len(rows)]["version"]
            assert await self.pipeline.cancel(self.document_id, version)
            self._ended(version)

    async def clean(self, _: int) -> None:
        await self.archive.step()

    async def finish(self) -> None:
        """Lets everything come to its end and checks it."""
        for claim in self.held:
            await self._expire(claim)
        await self.pipeline.drain()
        await self.archive.step()
        await self.observer.look()
        await self.observer.check_events()
        await self.observer.check_settled()
        await self._check_wanted()

    async def _take(self, choice: int) -> Claim | None:
        """A claim that a worker holds; a fresh one where none is held."""
        if not self.held:
            await self.claim(choice)
        return self.held.pop(choice % len(self.held)) if self.held else None

    def _ended(self, version: int) -> None:
        if self.wanted is not None and self.wanted[0] == version:
            self.wanted = None

    async def _expire(self, claim: Claim) -> None:
        async with self.pipeline.database.tenant(claim.org_id) as connection:
            await connection.execute(
                "UPDATE work SET lease_until = now() - interval '1 second'"
                " WHERE org_id = $1 AND work_id = $2 AND claim_token = $3",
                claim.org_id,
                claim.work_id,
                claim.token,
            )
        await self.reap.step()
        async with self.pipeline.database.tenant(claim.org_id) as connection:
            state = await connection.fetchval(
                "SELECT state FROM work WHERE org_id = $1 AND work_id = $2", claim.org_id, claim.work_id
            )
        if state == "quarantined":
            self._ended(claim.version)

    async def _check_wanted(self) -> None:
        if self.wanted is None:
            return
        async with self.pipeline.database.tenant(self.pipeline.org_id) as connection:
            live = await connection.fetchval(
                "SELECT live_version FROM documents WHERE org_id = $1 AND document_id = $2",
                self.pipeline.org_id,
                self.document_id,
            )
        assert live == self.wanted[0], "the last upload did not become live"


EVENTS = [
    *("upload", "upload", "progress", "progress", "claim", "complete", "fail", "retry", "give_back"),
    *("vanish", "stall", "redeliver", "delete", "cancel", "clean"),
]
"""Commoner ones more than once, so that versions do come to their end."""

SCRIPTS = st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, 11)), min_size=20, max_size=50)


PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]

BACK_AFTER_A_FAILED_RETURN = [
    ("upload", 0),
    ("progress", 3),
    ("delete", 0),
    ("upload", 1),
    ("fail", 0),
    ("upload", 0),
]
BOTH_FAIL_NEWER_FIRST = [("upload", 0), ("upload", 1), ("claim", 1), ("fail", 0), ("fail", 0)]


@example(script=BACK_AFTER_A_FAILED_RETURN)
@example(script=BOTH_FAIL_NEWER_FIRST)
@settings(max_examples=60, deadline=None, phases=PHASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=SCRIPTS)
async def test_any_history_ends_well(
    database: Database, dispatcher_database: Database, script: list[tuple[str, int]]
) -> None:
    org_id = uuid4()
    await create_organization(database, org_id, "Historias")
    history = History(
        Pipeline(database, org_id, max_attempts=MAX_ATTEMPTS),
        Observer(database, org_id),
        Reap(dispatcher_database, max_attempts=MAX_ATTEMPTS),
        Archive(dispatcher_database),
    )
    for event, choice in script:
        await getattr(history, event)(choice)
        await history.observer.look()
    await history.finish()
