"""docs/reported-faults.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[2]
PAGE = TESTS.parent / "docs/reported-faults.md"


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"test_\w+\.py", PAGE.read_text()))
    assert len(named) > 30
    assert named <= {path.name for path in TESTS.rglob("test_*.py")}
