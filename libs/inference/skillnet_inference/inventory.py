"""The embedding models of this machine: the configured one, and what is in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from pathlib import Path

from skillnet_inference.catalog import CarriedModel, carried_models
from skillnet_inference.factory import model_identity
from skillnet_inference.identity import ModelIdentity, Provider
from skillnet_inference.manifest import MANIFEST_FILE, damaged_files, read_manifest
from skillnet_inference.model_store import ModelStore
from skillnet_inference.precision import Precision, TablePrecision
from skillnet_inference.settings import EmbeddingSettings


class ModelState(StrEnum):
    """What stands between a model and its use."""

    READY = "ready"
    NOT_BUILT = "not_built"
    DAMAGED = "damaged"
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model under the present settings. `place` is its folder, or the address of the API."""

    identity: ModelIdentity
    configured: bool
    state: ModelState
    place: str


def known_models(settings: EmbeddingSettings, store: ModelStore | None = None) -> list[KnownModel]:
    """The configured model first, then the others that lie built in the cache.

    Raises PermanentFault where the settings name no usable model.
    """
    store = store or ModelStore()
    configured = model_identity(settings)
    built = list(_built(settings, store))
    if settings.provider is Provider.API:
        first = KnownModel(configured, True, ModelState.REMOTE, settings.api_base)
    elif settings.model_path is not None:
        first = KnownModel(configured, True, _state(settings.model_path), str(settings.model_path))
    else:
        carried = next(model for model in carried_models() if model.name == configured.name)
        folder = store.folder(carried, settings.precision, settings.table_precision)
        first = KnownModel(configured, True, _state(folder), str(folder))
    return [first, *(model for model in built if model.identity != configured)]


def _built(settings: EmbeddingSettings, store: ModelStore) -> Iterator[KnownModel]:
    for carried, precision, table in product(carried_models(), Precision, TablePrecision):
        folder = store.folder(carried, precision, table)
        if folder.is_dir():
            identity = _carried_identity(settings, carried, precision, table)
            yield KnownModel(identity, False, _state(folder), str(folder))


def _carried_identity(
    settings: EmbeddingSettings, carried: CarriedModel, precision: Precision, table: TablePrecision
) -> ModelIdentity:
    """Under the prefixes that are set: they are part of who a model is."""
    local = {
        "provider": Provider.LOCAL,
        "model": carried.name,
        "dim": carried.dimension,
        "model_path": None,
        "precision": precision,
        "table_precision": table,
    }
    return model_identity(settings.model_copy(update=local))


def _state(folder: Path) -> ModelState:
    if not (folder / MANIFEST_FILE).is_file():
        return ModelState.NOT_BUILT
    return ModelState.DAMAGED if damaged_files(folder, read_manifest(folder)) else ModelState.READY
