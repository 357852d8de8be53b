"""Originals never outlive the process that reads them for long."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from skillnet_parser.scratch import scratch_folder, sweep_scratch


def test_what_a_dead_process_left_is_swept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, other = tmp_path / f"skillnet-parse-{ended.pid}-x", tmp_path / "skillnet-parse-notes"
    for folder in (left, other):
        folder.mkdir()
        (folder / "original").write_text("secret")
    with scratch_folder() as mine:
        sweep_scratch()
        assert mine.is_dir()
        assert not left.exists()
        assert other.is_dir()
    assert not mine.exists()
