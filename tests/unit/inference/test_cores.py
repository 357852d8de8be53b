"""Threads follow the cores that the process may really use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillnet_inference.cores import available_cores


@pytest.mark.parametrize(("limit", "cores"), [("100000 100000", 1), ("50000 100000", 1), ("1 1000000", 1)])
def test_a_containers_quota_counts(tmp_path: Path, limit: str, cores: int) -> None:
    (tmp_path / "cpu.max").write_text(limit)
    assert available_cores(tmp_path / "cpu.max") == cores


@pytest.mark.parametrize("limit", ["max 100000", "99900000 100000", "garbage", None])
def test_without_a_smaller_quota_the_affinity_counts(tmp_path: Path, limit: str | None) -> None:
    if limit is not None:
        (tmp_path / "cpu.max").write_text(limit)
    assert available_cores(tmp_path / "cpu.max") == len(os.sched_getaffinity(0))
