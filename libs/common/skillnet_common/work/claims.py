"""Claims: one worker at a time does a piece of work, and only a worker that still holds its claim may settle it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.database.pool import Connection, Database
from skillnet_common.database.queries import Queries

_SQL = Queries(__package__, "work.sql")
_LONGEST_DELAY = 300.0


class LostClaim(Exception):
    """The lease ran out, or the work was cancelled: somebody else decides, this result is dropped."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to do one piece of work until its lease runs out."""

    org_id: UUID
    work_id: UUID
    token: UUID
    stage: Stage
    document_id: UUID
    version: int
    model_id: int | None
    chunk_ids: tuple[UUID, ...]
    attempt: int


class WorkTable:
    """The `work` table as one instance of a service uses it."""

    def __init__(
        self,
        database: Database,
        *,
        instance: str,
        lease_seconds: float,
        max_attempts: int,
        retry_seconds: float,
    ) -> None:
        self._database = database
        self._instance = instance
        self._max_attempts = max_attempts
        self._retry_seconds = retry_seconds
        self.lease_seconds = lease_seconds

    async def claim(self, message: WorkMessage, *, model_id: int | None = None) -> Claim | None:
        """Claims what the message speaks of; None where it is done, cancelled, not due, or in other hands.

        The row must be of the message's stage and, where `model_id` is given, of that model.
        """
        async with self._database.tenant(message.org_id) as connection:
            row = await connection.fetchrow(
                _SQL.claim,
                message.org_id,
                message.work_id,
                self._instance,
                self.lease_seconds,
                message.stage,
                model_id,
            )
            if row is None:
                return None
        if row["stage"] == Stage.PARSE:
            async with self._database.tenant(message.org_id) as connection:
                await connection.execute(_SQL.lock_document, message.org_id, row["document_id"])
                await connection.execute(_SQL.mark_processing, message.org_id, row["document_id"], row["version"])
        return Claim(
            org_id=message.org_id,
            work_id=message.work_id,
            token=row["claim_token"],
            stage=Stage(row["stage"]),
            document_id=row["document_id"],
            version=row["version"],
            model_id=row["model_id"],
            chunk_ids=tuple(row["chunk_ids"]),
            attempt=row["attempts"],
        )

    async def renew(self, claim: Claim) -> None:
        """Prolongs the lease. Raises LostClaim where it is gone."""
        async with self._database.tenant(claim.org_id) as connection:
            status = await connection.execute(
                _SQL.renew, claim.org_id, claim.work_id, claim.token, self.lease_seconds
            )
        _require_one(status)

    async def give_back(self, claim: Claim) -> None:
        """Puts unfinished work back at a stop; the attempt does not count."""
        await self._put_back(claim, delay=0, reason="given back at a stop", refund=1)

    async def retry_later(self, claim: Claim, reason: str) -> None:
        """Puts work back after a passing fault, with a doubled delay and jitter."""
        delay = min(self._retry_seconds * 2 ** (claim.attempt - 1), _LONGEST_DELAY)
        await self._put_back(claim, delay=delay * random.uniform(0.7, 1.3), reason=reason, refund=0)  # noqa: S311

    async def wait_for_mending(self, claim: Claim, reason: str, *, seconds: float) -> None:
        """Puts work back after a fault of the deployment; the attempt does not count."""
        await self._put_back(claim, delay=seconds, reason=reason, refund=1)

    def exhausted(self, claim: Claim) -> bool:
        """Whether this attempt was the last one allowed."""
        return claim.attempt >= self._max_attempts

    async def _put_back(self, claim: Claim, *, delay: float, reason: str, refund: int) -> None:
        async with self._database.tenant(claim.org_id) as connection:
            await connection.execute(
                _SQL.put_back, claim.org_id, claim.work_id, claim.token, delay, reason[:2000], refund
            )


async def settle(connection: Connection, claim: Claim, state: str = "done", reason: str | None = None) -> None:
    """Ends the claim within the caller's transaction, which must lock the document first.

    Raises LostClaim, which must roll the transaction back.
    """
    status = await connection.execute(_SQL.settle, claim.org_id, claim.work_id, claim.token, state, reason)
    _require_one(status)


async def add_work(
    connection: Connection, org_id: UUID, stage: Stage, document_id: UUID, version: int, cost: int
) -> None:
    """Adds the one piece of parse or chunk work of a version; a second time does nothing."""
    await connection.execute(_SQL.add, org_id, stage, document_id, version, max(cost, 1))


async def add_embed_batches(
    connection: Connection,
    org_id: UUID,
    document_id: UUID,
    version: int,
    model_id: int,
    batches: Sequence[tuple[Sequence[UUID], int]],
) -> None:
    """Adds embed work: each batch is (chunk ids, tokens)."""
    payload = [{"chunks": [str(chunk) for chunk in chunks], "tokens": tokens} for chunks, tokens in batches]
    await connection.execute(_SQL.add_batches, org_id, document_id, version, model_id, payload)


async def cancel_version_work(connection: Connection, org_id: UUID, document_id: UUID, version: int) -> None:
    """Cancels what is left to do for a version. The caller holds the document's lock."""
    await connection.execute(_SQL.cancel_version, org_id, document_id, version)


async def cancel_document_work(connection: Connection, org_id: UUID, document_id: UUID) -> None:
    """Cancels what is left to do for a document. The caller holds the document's lock."""
    await connection.execute(_SQL.cancel_document, org_id, document_id)


def _require_one(status: str) -> None:
    if status != "UPDATE 1":
        raise LostClaim
