"""Folders with awkward names, and an ordinary user even where the tests run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillnet_cli.local.accounts import can_enter, running_as_root, unprivileged_account
from skillnet_cli.local.temporary import temporary_folder

CHECKOUT = Path(__file__).resolve().parents[3]

RunScript = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A new folder whose path has a space and accents."""
    with temporary_folder("años y días", in_memory=True) as path:
        yield path


@pytest.fixture
def run_as_ordinary_user() -> RunScript:
    """Runs a Python script and its arguments as a user without privileges; skips where none can read the code."""
    identity: dict[str, Any] = {}
    interpreter, python_path = sys.executable, os.environ.get("PYTHONPATH", "")
    if running_as_root():
        account = unprivileged_account()
        identity = {"user": account.uid, "group": account.gid, "extra_groups": []}
        interpreter, python_path = _readable_interpreter(), _readable_python_path()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": python_path, "LC_ALL": "C.UTF-8"}

    def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [interpreter, "-c", script, *arguments],
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
            **identity,
        )

    return run


def _readable_interpreter() -> str:
    """This interpreter, or another of the same version, whose extension modules fit."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, shutil.which(version, path="/usr/local/bin:/usr/bin:/bin")):
        if candidate and can_enter(Path(candidate).resolve().parent, unprivileged_account()):
            return candidate
    pytest.skip(f"there is no {version} that an ordinary user can run")


def _readable_python_path() -> str:
    installed = [Path(path) for path in sys.path if path.endswith("site-packages")]
    paths = [CHECKOUT / "cli", CHECKOUT / "libs" / "common", CHECKOUT / "libs" / "bootstrap", *installed]
    if not all(can_enter(path, unprivileged_account()) for path in paths):
        pytest.skip("an ordinary user can enter neither this checkout nor its environment")
    return os.pathsep.join(map(str, paths))
