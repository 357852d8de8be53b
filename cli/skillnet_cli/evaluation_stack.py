"""Stacks of their own for what is measured, and the organisations that hold its documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillnet_cli.local.temporary import temporary_folder
from skillnet_common.auth import create_organization, new_key, store_key
from skillnet_common.database import Database
from skillnet_evaluation.corpus import organization_of
from skillnet_evaluation.questions import Dataset


@contextmanager
def data_folder(data: Path | None) -> Iterator[Path]:
    """The folder that was named, or one that is removed afterwards."""
    if data is not None:
        yield data.expanduser().absolute()
        return
    with temporary_folder("skillnet-eval") as folder:
        yield folder / "data"


async def key_of(dataset: Dataset, database_url: str) -> str:
    """A key, for a day, of the organisation that holds this dataset's documents and no others."""
    org, key = organization_of(dataset), new_key()
    database = await Database.connect(database_url, size=1, name="skillnet-eval")
    try:
        await create_organization(database, org, f"Evaluation: {dataset.name}"[:200])
        await store_key(database, org, key, name="evaluation", expires_at=datetime.now(UTC) + timedelta(days=1))
    finally:
        await database.close()
    return key
