"""Lines of two organisations over one object store."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from tests.integration.handlers.line import Line

from skillnet_common.database import Database
from skillnet_common.objects import Originals


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(f"file://{tmp_path}/objects")


@pytest.fixture
def line(database: Database, originals: Originals, org: UUID) -> Line:
    """The handlers at work for a fresh organisation."""
    return Line(database, originals, org)


@pytest.fixture
def other_line(database: Database, originals: Originals, other_org: UUID) -> Line:
    """The same for another tenant."""
    return Line(database, originals, other_org)
