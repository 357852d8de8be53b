"""Calibrations of embedding models, stored where the retrievers read them."""

from __future__ import annotations

import asyncpg

from skillnet_common.calibration import Calibration
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault

_STORE = "UPDATE skillnet.embedding_models SET calibration = $2::jsonb WHERE slug = $1 RETURNING model_id"


async def store_calibration(migrator_url: str, slug: str, calibration: Calibration | None) -> None:
    """Keeps it for the model; None takes back what was stored. `migrator_url` is the owner's of the tables.

    Raises PermanentFault `model_mismatch` where no such model is registered.
    """
    try:
        connection = await asyncpg.connect(migrator_url, timeout=10)
    except CONNECTION_ERRORS as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, f"PostgreSQL cannot be reached: {error}") from error
    try:
        value = None if calibration is None else calibration.model_dump_json()
        if await connection.fetchval(_STORE, slug, value) is None:
            raise PermanentFault(ErrorCode.MODEL_MISMATCH, f"No embedding model {slug} is registered.")
    finally:
        await connection.close()
