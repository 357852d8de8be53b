"""The Dockerfile, read: stages with their instructions."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

_FROM = re.compile(r"^(?P<base>\S+) AS (?P<name>\S+)$")


@dataclass
class Stage:
    """A stage: what it starts from, and (instruction, arguments) in order."""

    name: str
    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def every(self, instruction: str) -> list[str]:
        return [arguments for name, arguments in self.instructions if name == instruction]

    @property
    def environment(self) -> dict[str, str]:
        pairs = [pair for line in self.every("ENV") for pair in shlex.split(line)]
        return dict(pair.split("=", 1) for pair in pairs)


def stages(path: Path) -> dict[str, Stage]:
    """Every stage by its name."""
    found: dict[str, Stage] = {}
    stage: Stage | None = None
    for line in _logical_lines(path.read_text(encoding="utf-8")):
        instruction, _, arguments = line.partition(" ")
        if instruction == "FROM":
            match = _FROM.match(arguments)
            assert match, f"a stage without a name: {line}"
            stage = Stage(match["name"], match["base"])
            assert stage.name not in found, f"two stages {stage.name}"
            found[stage.name] = stage
        elif stage is not None:
            stage.instructions.append((instruction, arguments.strip()))
    return found


def lineage(found: dict[str, Stage], name: str) -> list[Stage]:
    """The stage and those of the file that it starts from, the first of them first."""
    stage = found[name]
    return [*(lineage(found, stage.base) if stage.base in found else []), stage]


def model_command(path: Path, service: str) -> str:
    """The Python program with which the image of a service prepares its model."""
    (command,) = [
        json.loads(run) for run in stages(path)[f"{service}-environment"].every("RUN") if run.startswith("[")
    ]
    assert command[:2] == ["python", "-c"]
    return str(command[2])


def _logical_lines(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()
