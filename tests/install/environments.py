"""Environments that hold one extra each, as the images do, and the processes that run in them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.manifests.dockerfile import stages

from skillnet_cli.local.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
_INSTALLS_AT_A_TIME = 2
_START_SECONDS = 90.0
_STOP_SECONDS = 40.0


@dataclass(frozen=True)
class Environment:
    """A virtual environment with one extra and nothing else. Nothing of the tests' own environment is in reach."""

    extra: str
    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    def run(self, code: str, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, "-I", "-c", code],
            env=plain_variables(variables),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def plain_variables(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a container has, and `more`."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "LC_ALL": "C.UTF-8", **(more or {})}


def build_wheel(folder: Path) -> Path:
    """The wheel that an image installs, built from what the Dockerfile copies for it and nothing else."""
    source = folder / "source"
    source.mkdir()
    for copied in stages(ROOT / "Dockerfile")["wheel"].every("COPY"):
        for name in copied.split()[:-1]:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, source)
    _pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, extras: Iterable[str], folder: Path) -> dict[str, Environment]:
    """An environment for each extra, two at a time, with the versions of constraints.txt."""

    def make(extra: str) -> Environment:
        environment = Environment(extra, folder / extra)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment.folder)], check=True)
        requirement = f"skillnet-retrieval[{extra}] @ {wheel.as_uri()}"
        constraints = ("--constraint", str(ROOT / "constraints.txt"))
        _pip("--python", environment.python, "install", "--no-compile", *constraints, requirement)
        return environment

    with ThreadPoolExecutor(_INSTALLS_AT_A_TIME) as pool:
        return {environment.extra: environment for environment in pool.map(make, extras)}


def _pip(*arguments: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@dataclass
class Running:
    """A service's process; `log` is what it wrote."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    log_path: Path
    _exit_code: int | None = field(default=None, init=False)

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def answer(self, path: str) -> int:
        """The status of a request to the operations port; 0 where nobody listens."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=6) as reply:
                return int(reply.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while self.answer("/readyz") != 200:
            assert self.process.poll() is None, f"{self.name} ended at its start: {self.log}"
            assert time.monotonic() < deadline, f"{self.name} is not ready: {self.log}"
            time.sleep(0.1)

    def terminate(self) -> int:
        """The exit code after SIGTERM; asked again, the same."""
        if self._exit_code is None:
            self.process.send_signal(signal.SIGTERM)
            self._exit_code = self.process.wait(_STOP_SECONDS)
        return self._exit_code


def start(environment: Environment, variables: Mapping[str, str], log_folder: Path) -> Running:
    """Starts the service of the extra as its image does."""
    port = free_port()
    log_path = log_folder / f"{environment.extra}.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [environment.python, "-m", f"skillnet_{environment.extra}"],
            env=plain_variables({**variables, "OPS_PORT": str(port)}),
            cwd=environment.folder,
            stderr=log,
        )
    return Running(environment.extra, process, port, log_path)
