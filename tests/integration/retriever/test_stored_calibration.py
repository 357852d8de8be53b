"""A stored calibration is judged by without a restart."""

from __future__ import annotations

from uuid import UUID

import asyncpg
import pytest
from tests.conftest import TEST_MODEL, DatabaseUrls
from tests.integration.retriever.conftest import TinyEncoder, asker, axis_vector, make_retriever
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, seed

from skillnet_bootstrap.calibrations import store_calibration
from skillnet_common.calibration import Calibration, Figure, Judge, Weight
from skillnet_common.contracts.retrieval import GroundRequest, Rung
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_common.models import stored_calibration
from skillnet_retriever import calibrations
from skillnet_retriever.calibrations import StoredCalibration

SLUG = str(TEST_MODEL["slug"])


def constant(logit: float) -> Calibration:
    """One that judges everything alike."""
    judge = Judge(intercept=logit, weights={Figure.COVERAGE: Weight(mean=0, scale=1, weight=0)})
    return Calibration(with_tokens=judge, without_tokens=judge)


async def test_the_stored_one_holds(
    database: Database, database_urls: DatabaseUrls, org: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "El plazo de devolución es de 30 días."
    await seed(database, org, SeedDocument("Manual", [SeedChunk(body, axis_vector(body).tolist())]))
    monkeypatch.setattr(calibrations, "_SECONDS", 0.0)
    retriever = make_retriever(database, TinyEncoder(), stored_calibration=StoredCalibration(database, 1))
    request = GroundRequest(query="¿plazo de devolución?", allow_document=False, allow_general=False)

    async def rung() -> Rung:
        return (await retriever.ground(asker(org), request)).rung

    try:
        assert await rung() is Rung.CHUNKS
        await store_calibration(database_urls.migrator, SLUG, constant(-20))
        assert await rung() is Rung.NONE
        await store_calibration(database_urls.migrator, SLUG, constant(20))
        assert await rung() is Rung.CHUNKS
        assert await stored_calibration(database, 1) == constant(20)
    finally:
        await store_calibration(database_urls.migrator, SLUG, None)
    assert await stored_calibration(database, 1) is None


async def test_only_the_owner_stores_and_only_for_a_known_model(
    database: Database, database_urls: DatabaseUrls
) -> None:
    with pytest.raises(PermanentFault, match="no-such-model") as raised:
        await store_calibration(database_urls.migrator, "no-such-model", constant(0))
    assert raised.value.code is ErrorCode.MODEL_MISMATCH
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store_calibration(database_urls.service, SLUG, constant(0))
    with pytest.raises(PassingFault):
        await store_calibration("postgresql://skillnet_migrator@127.0.0.1:9/skillnet", SLUG, constant(0))
