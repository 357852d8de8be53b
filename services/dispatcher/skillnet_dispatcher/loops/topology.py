"""A lost stream or consumer is made again, by the one bootstrap; another shape of it is never touched."""

from __future__ import annotations

import structlog
from nats.js import JetStreamContext

from skillnet_common.database import Database
from skillnet_common.messaging.topology import ensure_topology

log = structlog.get_logger(__name__)

_SLUGS = "SELECT slug FROM embedding_models ORDER BY model_id"


class Topology:
    """Keeps streams and consumers in being, the consumer of a model registered since among them.

    Raises PermanentFault `topology_drift` at each step while something stands that this version did not declare.
    """

    def __init__(self, database: Database, js: JetStreamContext) -> None:
        self._database = database
        self._js = js

    async def step(self) -> bool:
        """Creates what is missing."""
        async with self._database.system() as connection:
            slugs = [row["slug"] for row in await connection.fetch(_SLUGS)]
        for name in await ensure_topology(self._js, slugs):
            log.warning("topology_created", name=name)
        return False
