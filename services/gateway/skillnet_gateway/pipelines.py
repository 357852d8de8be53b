"""By which pipeline an organisation's documents are read and cut now."""

from __future__ import annotations

from uuid import UUID

from skillnet_common.chunk_sizes import chunk_sizes, own_sizes
from skillnet_common.database.pool import Connection
from skillnet_common.models import serving_model
from skillnet_common.pipeline import pipeline_fingerprint
from skillnet_common.settings import ChunkSettings


async def current_pipeline(connection: Connection, org_id: UUID, deployment: ChunkSettings) -> str:
    """The fingerprint of a version that is begun now, in the organisation's own transaction."""
    model = await serving_model(connection)
    own = await own_sizes(connection, org_id)
    return pipeline_fingerprint(chunk_sizes(deployment, own, window=model.window))
