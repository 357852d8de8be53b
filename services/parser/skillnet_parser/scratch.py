"""Folders for originals while they are read; what a killed parser left goes at the next one's start."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

_PREFIX = "skillnet-parse-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A private folder, named by this process, that is gone at the end of the block."""
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as folder:
        yield Path(folder)


def sweep_scratch() -> None:
    """Removes the folders of processes that are no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)) and os.access(folder, os.W_OK):
            shutil.rmtree(folder, ignore_errors=True)
