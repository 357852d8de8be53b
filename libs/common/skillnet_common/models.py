"""The registry of embedding models, as services read it."""

from __future__ import annotations

from dataclasses import dataclass

from skillnet_common.calibration import Calibration
from skillnet_common.database.pool import Connection, Database
from skillnet_common.errors import ErrorCode, PermanentFault


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """A row of `embedding_models`. `slug` names it in subjects and replies; `window` is in tokens."""

    model_id: int
    slug: str
    fingerprint: str
    dimension: int
    window: int


_COLUMNS = "model_id, slug, fingerprint, dimension, (identity ->> 'window')::int AS window"


async def registered_model(database: Database, fingerprint: str, *, configured: str) -> RegisteredModel:
    """The registered model with this fingerprint.

    Raises PermanentFault `model_mismatch`, naming what is `configured` and what is registered, where there is none.
    """
    async with database.system() as connection:
        row = await connection.fetchrow(
            f"SELECT {_COLUMNS} FROM embedding_models WHERE fingerprint = $1",  # noqa: S608 - a constant
            fingerprint,
        )
        if row is None:
            slugs = await connection.fetch("SELECT slug FROM embedding_models ORDER BY model_id")
            known = ", ".join(slug["slug"] for slug in slugs) or "none"
            raise PermanentFault(
                ErrorCode.MODEL_MISMATCH,
                f"The configured embedding model {configured} is not registered (registered: {known})."
                " Set the EMBEDDING_* variables to a registered model, or register this one.",
            )
    return RegisteredModel(**row)


async def serving_model(connection: Connection) -> RegisteredModel:
    """The model that serves questions. Raises PermanentFault `model_mismatch` where none is registered yet."""
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM embedding_models JOIN serving_model USING (model_id)"  # noqa: S608 - a constant
    )
    if row is None:
        raise PermanentFault(ErrorCode.MODEL_MISMATCH, "No embedding model is registered yet.")
    return RegisteredModel(**row)


async def require_serving(database: Database, fingerprint: str, *, configured: str) -> RegisteredModel:
    """The serving model, which must be the configured one. Raises PermanentFault `model_mismatch`."""
    async with database.system() as connection:
        model = await serving_model(connection)
    if model.fingerprint != fingerprint:
        raise PermanentFault(
            ErrorCode.MODEL_MISMATCH,
            f"The configured embedding model {configured} is not the one that serves ({model.slug}): vectors of two"
            " models cannot be compared. Set the EMBEDDING_* variables to the serving model.",
        )
    return model


async def stored_calibration(database: Database, model_id: int) -> Calibration | None:
    """The calibration that was stored for the model; None where none was."""
    async with database.system() as connection:
        stored = await connection.fetchval("SELECT calibration FROM embedding_models WHERE model_id = $1", model_id)
    return None if stored is None else Calibration.model_validate(stored)
