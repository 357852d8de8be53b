"""The system as a person runs it: `skillnet up` in a process of its own, and the command beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from skillnet_cli.local.state import running_stack
from skillnet_client import SkillnetClient

SKILLNET = str(Path(sys.executable).with_name("skillnet"))
MAX_UPLOAD_BYTES = 400_000
STOP_SECONDS = 90
_COMMAND_SECONDS = 120
_OTHER_STACKS = ("DATABASE_", "NATS_", "OBJECT_STORE_", "SKILLNET_")


@dataclass(frozen=True)
class System:
    """A running `skillnet up`, with what it announced. `environment` holds the addresses for other programs."""

    data: Path
    address: str
    api_key: str
    organization: UUID
    environment: Mapping[str, str] = field(repr=False)

    def skillnet(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command against this stack's data folder to its end."""
        return run_skillnet(*arguments, environment={"SKILLNET_HOME": str(self.data), **(environment or {})})

    def client(self, api_key: str | None = None) -> SkillnetClient:
        return SkillnetClient(self.address, api_key or self.api_key)

    def objects_of(self, org: UUID) -> list[Path]:
        """Every original of an organisation that is stored."""
        return [path for path in (self.data / "objects").rglob("*") if path.is_file() and str(org) in path.parts]


def run_skillnet(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end. Tables have room: they are wrapped at 200 columns."""
    return subprocess.run(
        [SKILLNET, *arguments],
        env=clean_environment(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_COMMAND_SECONDS,
        check=False,
    )


def clean_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without the addresses of other stacks."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OTHER_STACKS)}
    return {**own, "COLUMNS": "200", **(more or {})}


@contextmanager
def skillnet_up(data: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[System]:
    """Runs `skillnet up` in the data folder; Ctrl-C must stop it well."""
    errors_path = data.with_name(f"{data.name}.stderr")
    with (
        errors_path.open("w") as errors,
        subprocess.Popen(
            [SKILLNET, "up", "--data", str(data), "--json", *arguments],
            env=clean_environment(environment),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            yield _announced(process, errors_path)
        finally:
            process.send_signal(signal.SIGINT)
            exit_code = process.wait(STOP_SECONDS)
    assert exit_code == 0, errors_path.read_text()


def _announced(process: subprocess.Popen[str], errors_path: Path) -> System:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"skillnet up ended at its start: {errors_path.read_text()}"
    announced = json.loads(line)
    data = Path(announced["data"])
    state = running_stack(data)
    assert state is not None
    return System(
        data, announced["address"], announced["api_key"], UUID(announced["organization"]), state.environment
    )
