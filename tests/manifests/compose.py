"""The compose file, as the real Compose resolves it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tests.manifests.files import ROOT

EXAMPLE = ROOT / ".env.example"
_LINE = re.compile(r"^(?P<optional>#)?(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>.*)$")
SECRET = "p4ssw0rd-of-thirty-two-characters"


def example_variables(*, optional: bool) -> dict[str, str]:
    """The variables of .env.example that are commented out, or those that are not."""
    matches = [_LINE.match(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    return {match["name"]: match["value"] for match in matches if match and bool(match["optional"]) == optional}


def compose(env_file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the real Compose on the committed file, with this file of variables and no others."""
    program = Path(sys.executable).with_name("docker-compose")
    return subprocess.run(
        [program, "--project-directory", str(ROOT), "--env-file", str(env_file), *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(env_file.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def filled_in(folder: Path, more: dict[str, str] | None = None) -> Path:
    """A .env as somebody would write it: every secret set, and `more`."""
    values = {**dict.fromkeys(example_variables(optional=False), SECRET), **(more or {})}
    path = folder / "env"
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    return path


def resolved(folder: Path, more: dict[str, str] | None = None) -> dict[str, Any]:
    """The configuration with that .env."""
    run = compose(filled_in(folder, more), "config", "--format", "json")
    assert run.returncode == 0, run.stderr
    content: dict[str, Any] = json.loads(run.stdout)
    return content


def environment(service: dict[str, Any]) -> dict[str, str]:
    """What the container gets: a variable without a value is absent."""
    return {name: value for name, value in service.get("environment", {}).items() if value is not None}


@cache
def text() -> str:
    return (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
