"""The calibration of the serving model: the stored one, else the one that comes with the code."""

from __future__ import annotations

import asyncio
from importlib.resources import files

from skillnet_common.calibration import Calibration
from skillnet_common.database import Database
from skillnet_common.models import stored_calibration
from skillnet_inference.identity import ModelIdentity
from skillnet_retriever.domain.evidence import OTHER_MODEL

_FIXTURE = "fixture"
"""Names of models that are no semantic ones begin with it: their vectors mean nothing."""
_MEASURED = "multilingual-e5-small"
_SECONDS = 30.0


def carried_calibration(identity: ModelIdentity) -> Calibration | None:
    """The model's own, as far as it was measured; None for a fake model, which is known by its name and not by its
    scores."""
    if identity.name.lower().startswith(_FIXTURE):
        return None
    return measured_calibration() if _MEASURED in identity.name else OTHER_MODEL


def measured_calibration() -> Calibration:
    """That of multilingual-e5-small, as `skillnet models calibrate` computed it (docs/retrieval.md)."""
    text = files(__package__).joinpath(f"{_MEASURED}.json").read_text("utf-8")
    return Calibration.model_validate_json(text)


class StoredCalibration:
    """What the database holds for a model, looked up again every half minute, so that a new one needs no restart."""

    def __init__(self, database: Database, model_id: int) -> None:
        self._database = database
        self._model_id = model_id
        self._known: Calibration | None = None
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def __call__(self) -> Calibration | None:
        """None where none is stored."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if now >= self._until:
                self._known = await stored_calibration(self._database, self._model_id)
                self._until = now + _SECONDS
            return self._known
