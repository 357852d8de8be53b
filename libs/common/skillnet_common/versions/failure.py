"""A version fails for good; what was live keeps serving."""

from __future__ import annotations

from uuid import UUID

from skillnet_common.contracts.events import DocumentFailed
from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode
from skillnet_common.versions.events import new_event_id, now, record_event
from skillnet_common.versions.locks import OPEN_STATES, SQL, lock_both
from skillnet_common.work.claims import cancel_version_work


async def fail_version(
    connection: Connection,
    org_id: UUID,
    document_id: UUID,
    version: int,
    *,
    stage: str,
    code: ErrorCode,
    message: str,
) -> bool:
    """Fails a version that has not ended yet, cancels its work and records `document.failed`.

    Returns False where it had ended before (ready, failed, cancelled): nothing is changed then.
    """
    document, row = await lock_both(connection, org_id, document_id, version)
    if document is None or row is None or row["state"] not in OPEN_STATES:
        return False
    await connection.execute(SQL.fail_version, org_id, document_id, version, stage, code, message)
    await connection.execute(SQL.fail_document, org_id, document_id)
    await cancel_version_work(connection, org_id, document_id, version)
    event = DocumentFailed(
        event_id=new_event_id(),
        org_id=org_id,
        document_id=document_id,
        source=document["source"],
        external_key=document["external_key"],
        title=row["title"],
        occurred_at=now(),
        version=version,
        stage=stage,
        code=code,
        message=message,
        live_version=document["live_version"],
    )
    await record_event(connection, event, version)
    return True
