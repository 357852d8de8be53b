"""Deleting a document, and cancelling a version under way."""

from __future__ import annotations

from uuid import UUID

from skillnet_common.contracts.events import DocumentDeleted
from skillnet_common.database.pool import Connection
from skillnet_common.versions.events import courses_of, new_event_id, now, record_event
from skillnet_common.versions.locks import OPEN_STATES, SQL, lock_both, lock_document
from skillnet_common.work.claims import cancel_document_work, cancel_version_work


async def delete_document(connection: Connection, org_id: UUID, document_id: UUID) -> bool:
    """Takes the document from readers at once and ends everything under way for it.

    The row stays as a tombstone: its fence (`promoted_version`) keeps a late worker from raising the dead, and
    an upload with the same key goes on counting versions. Returns False where there is nothing to delete.
    """
    document = await lock_document(connection, org_id, document_id)
    if document is None or document["deleted_at"] is not None:
        return False
    await connection.execute(SQL.delete_document, org_id, document_id)
    await connection.execute(SQL.cancel_open_versions, org_id, document_id, None, "Its document was deleted.")
    await connection.execute(SQL.retire_ready_versions, org_id, document_id)
    await cancel_document_work(connection, org_id, document_id)
    event = DocumentDeleted(
        event_id=new_event_id(),
        org_id=org_id,
        document_id=document_id,
        source=document["source"],
        external_key=document["external_key"],
        title=document["title"],
        occurred_at=now(),
        last_version=document["live_version"],
        courses=await courses_of(connection, org_id, document_id),
    )
    await record_event(connection, event, document["live_version"])
    return True


async def cancel_version(connection: Connection, org_id: UUID, document_id: UUID, version: int) -> bool:
    """Ends a version under way; False where it had ended before."""
    document, row = await lock_both(connection, org_id, document_id, version)
    if document is None or row is None or row["state"] not in OPEN_STATES:
        return False
    await connection.execute(SQL.cancel_open_versions, org_id, document_id, version, "It was cancelled.")
    await cancel_version_work(connection, org_id, document_id, version)
    await connection.execute(SQL.fail_document, org_id, document_id)
    return True
