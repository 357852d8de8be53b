"""Work that was given up is tried again: its failed version is opened anew."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import asyncpg

from skillnet_common.contracts.work import Stage
from skillnet_common.database.pool import Connection
from skillnet_common.database.queries import Queries
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions.locks import SQL as VERSIONS
from skillnet_common.versions.locks import STATE_BEFORE, fetch_one, lock_both
from skillnet_common.work.claims import add_work

_SQL = Queries(__package__, "replay.sql")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is under way again. `stage` is where it goes on: `parse` where what came later had been cleaned up."""

    document_id: UUID
    version: int
    stage: Stage


async def replay_work(connection: Connection, org_id: UUID, work_id: UUID) -> Replayed:
    """Opens the version of quarantined work again, and lets that work wait with its attempts at 0.

    What was cancelled when the work was given up waits again too; what had been done stays done. Locks document,
    version and work in that order. Raises RequestError `not_found` where the tenant has no such work or the
    document was deleted since, `not_quarantined` where the work is not given up (it was replayed before), and
    `version_outrun` where a version at least as new has been live: this one could never be.
    """
    found = await connection.fetchrow(_SQL.find_work, org_id, work_id)
    if found is None:
        raise _not_found()
    document_id, version = found["document_id"], found["version"]
    document, row = await lock_both(connection, org_id, document_id, version)
    work = await connection.fetchrow(_SQL.lock_work, org_id, work_id)
    if document is None or document["deleted_at"] is not None or row is None or work is None:
        raise _not_found()
    # A document deleted and uploaded again lives on; what was deleted of it does not.
    if version <= await connection.fetchval(_SQL.deleted_through, org_id, document_id):
        raise _not_found()
    if work["state"] != "quarantined" or row["state"] != "failed":
        raise RequestError(ErrorCode.NOT_QUARANTINED, "This work is not in quarantine: it may have been replayed.")
    if version <= document["promoted_version"]:
        raise RequestError(
            ErrorCode.VERSION_OUTRUN, "A newer version of the document has been live: this one never will be."
        )
    stage = Stage(work["stage"])
    if stage is Stage.EMBED and not await _is_whole(connection, org_id, document_id, row):
        stage = Stage.PARSE
        await _begin_anew(connection, org_id, document_id, version)
    else:
        await _go_on(connection, org_id, document_id, version, stage)
    await connection.execute(_SQL.mark_processing, org_id, document_id)
    return Replayed(document_id, version, stage)


async def _is_whole(connection: Connection, org_id: UUID, document_id: UUID, version: asyncpg.Record) -> bool:
    """Whether every chunk is still there, and to be embedded with the model that serves."""
    chunks = await connection.fetchval(_SQL.count_chunks, org_id, document_id, version["version"])
    if chunks != version["expected_chunks"]:
        return False  # an end of it was cleaned up
    model = await fetch_one(connection, VERSIONS.hold_serving_model)
    others = await connection.fetchval(_SQL.other_models, org_id, document_id, version["version"], model["model_id"])
    return bool(others == 0)


async def _go_on(connection: Connection, org_id: UUID, document_id: UUID, version: int, stage: Stage) -> None:
    """From the stage that failed. Vectors and postings were archived since the version's end."""
    key = (org_id, document_id, version)
    await connection.execute(_SQL.reopen_version, *key, STATE_BEFORE[stage])
    if stage is Stage.EMBED:
        await connection.execute(_SQL.take_back_vectors, *key)
        await connection.execute(_SQL.index_chunks, *key)
    await connection.execute(_SQL.wait_again, *key, stage)


async def _begin_anew(connection: Connection, org_id: UUID, document_id: UUID, version: int) -> None:
    """From the original: what was made of it goes, and so does the work that made it."""
    key = (org_id, document_id, version)
    for query in (
        _SQL.delete_work,
        _SQL.delete_postings,
        _SQL.delete_chunks,  # their vectors go with them
        _SQL.delete_sections,
        _SQL.delete_text,
    ):
        await connection.execute(query, *key)
    size = await connection.fetchval(_SQL.reopen_version, *key, STATE_BEFORE[Stage.PARSE])
    await add_work(connection, org_id, Stage.PARSE, document_id, version, cost=size // 1024)


def _not_found() -> RequestError:
    return RequestError(ErrorCode.NOT_FOUND, "The quarantine holds no such work.")
