"""What must hold at every moment, whoever did what in which order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from skillnet_common.database import Database
from skillnet_common.database.pool import Connection

FINAL_WORK = {"done", "failed", "cancelled", "quarantined"}
FINAL_VERSIONS = {"ready", "superseded", "failed", "cancelled"}

# As a search reads: live versions, their chunks and vectors of the serving model, in one snapshot.
_READ = """
    SELECT d.document_id, d.live_version, d.deleted_at, d.promoted_version, d.newest_version,
           c.version, c.body, c.chunk_total, e.chunk_id IS NOT NULL AS has_vector
    FROM documents d
    LEFT JOIN document_chunks c
      ON c.org_id = d.org_id AND c.document_id = d.document_id AND c.version = d.live_version
    LEFT JOIN chunk_embeddings e
      ON e.org_id = c.org_id AND e.chunk_id = c.chunk_id AND e.model_id = (SELECT model_id FROM serving_model)
    WHERE d.org_id = $1
"""
# Whatever is under way has somebody who is to do something for it, and nothing else has.
_OWNERLESS = """
    SELECT v.document_id, v.version, v.state, w.open FROM document_versions v
    CROSS JOIN LATERAL (
        SELECT count(*) > 0 AS open FROM work w
        WHERE w.org_id = v.org_id AND w.document_id = v.document_id AND w.version = v.version
          AND w.state IN ('waiting', 'released', 'claimed')
    ) w
    WHERE v.org_id = $1 AND (v.state IN ('uploaded', 'parsed', 'embedding')) <> w.open
"""
_EVENTS = """
    SELECT document_id, type, version, payload ->> 'change' AS change, event_id FROM outbox
    WHERE org_id = $1 AND type LIKE 'document.%' ORDER BY outbox_seq
"""


@dataclass(slots=True)
class Observer:
    """Reads as users and subscribers do, and remembers what it saw."""

    database: Database
    org_id: UUID
    _live: dict[UUID, int] = field(default_factory=dict)
    _buried: dict[UUID, int] = field(default_factory=dict)

    async def look(self) -> None:
        """One snapshot of all documents: whole versions only, never a deleted document, never backwards."""
        buried = dict(self._buried)  # a delete that ends while this reads is not yet seen
        async with self.database.tenant(self.org_id, isolation="repeatable_read", readonly=True) as connection:
            rows = await connection.fetch(_READ, self.org_id)
            assert await connection.fetch(_OWNERLESS, self.org_id) == []
        documents: dict[UUID, list[str]] = {}
        for row in rows:
            document, live = row["document_id"], row["live_version"]
            assert live is None or row["deleted_at"] is None, "a deleted document is live"
            if live is None:
                assert row["version"] is None
                continue
            assert row["version"] == live, "a live version without chunks"
            assert row["body"].startswith(f"version {live} "), "a mixture of versions"
            assert row["has_vector"], "a live chunk without a vector"
            assert row["promoted_version"] == live
            documents.setdefault(document, []).append(row["body"])
            self._check_growth(document, live, buried)
        totals = {row["document_id"]: row["chunk_total"] for row in rows if row["live_version"] is not None}
        assert {document: len(set(bodies)) for document, bodies in documents.items()} == totals

    def copy(self) -> Observer:
        """The observer as it is now, to go on with in one branch of several."""
        return Observer(self.database, self.org_id, dict(self._live), dict(self._buried))

    def deleted(self, document: UUID, newest: int) -> None:
        """To be told of a delete: no version up to `newest` may be seen from now on."""
        self._buried[document] = max(newest, self._buried.get(document, 0))

    def _check_growth(self, document: UUID, live: int, buried: dict[UUID, int]) -> None:
        assert live > buried.get(document, 0), "a deleted document came back by itself"
        assert live >= self._live.get(document, 0), "the live version went backwards"
        self._live[document] = live

    async def check_events(self) -> None:
        """One event a version, in the order of versions."""
        async with self.database.tenant(self.org_id) as connection:
            events = await connection.fetch(_EVENTS, self.org_id)
        last: dict[UUID, int] = {}
        for event in events:
            if event["type"] != "document.updated" or event["change"] == "metadata":
                continue
            assert event["version"] > last.get(event["document_id"], 0), (
                "an older version's event after a newer one's"
            )
            last[event["document_id"]] = event["version"]
        ids = Counter(event["event_id"] for event in events)
        assert not ids or max(ids.values()) == 1

    async def check_settled(self) -> None:
        """Once nothing is left to do: everything is in a final state and the documents say so."""
        async with self.database.tenant(self.org_id) as connection:
            await _check_final_states(connection, self.org_id)
            await _check_documents(connection, self.org_id)
            await _check_vectors(connection, self.org_id)


async def _check_final_states(connection: Connection, org_id: UUID) -> None:
    work = await connection.fetch("SELECT stage, state FROM work WHERE org_id = $1", org_id)
    assert {row["state"] for row in work} <= FINAL_WORK
    versions = await connection.fetch("SELECT state FROM document_versions WHERE org_id = $1", org_id)
    assert {row["state"] for row in versions} <= FINAL_VERSIONS


async def _check_documents(connection: Connection, org_id: UUID) -> None:
    documents = await connection.fetch("SELECT * FROM documents WHERE org_id = $1", org_id)
    for document in documents:
        versions = await connection.fetch(
            "SELECT version, state FROM document_versions WHERE org_id = $1 AND document_id = $2 ORDER BY version",
            org_id,
            document["document_id"],
        )
        ready = [row["version"] for row in versions if row["state"] == "ready"]
        live = document["live_version"]
        assert ready == ([] if live is None else [live]), "the live version is the ready one"
        if document["deleted_at"] is not None:
            continue
        expected = "ready" if live is not None else "failed"
        assert document["processing_status"] == expected
        if live is not None:
            newer = {row["state"] for row in versions if row["version"] > live}
            assert newer <= {"failed", "cancelled"}


async def _check_vectors(connection: Connection, org_id: UUID) -> None:
    doubles = await connection.fetchval(
        "SELECT count(*) FROM chunk_embeddings e JOIN chunk_embeddings_archive a USING (org_id, model_id, chunk_id)"
        " WHERE e.org_id = $1",
        org_id,
    )
    assert doubles == 0, "a vector is both live and archived"
