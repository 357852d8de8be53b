"""The README's commands, as they stand there, one after the other on a new data folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, shell_blocks
from tests.e2e.system import clean_environment, skillnet_up

from skillnet_client import SkillnetClient

pytestmark = pytest.mark.long

_UP = ".venv/bin/skillnet up"
_SECONDS = 300


def test_the_readme_can_be_followed_to_an_answer(tmp_path: Path) -> None:
    """What is installed and started beforehand is left out; `manual.pdf` stands for a file of the reader's."""
    manual = tmp_path / "manual.pdf"
    manual.write_bytes((ROOT / "examples/documents/politica-de-devoluciones.pdf").read_bytes())
    blocks = [block for block in shell_blocks(ROOT / "README.md") if not block.startswith("make ")]
    with skillnet_up(tmp_path / "data") as system:
        environment = clean_environment(
            {
                "SKILLNET_HOME": str(system.data),
                "URL": system.address,
                "KEY": system.api_key,
                "PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}",
            }
        )
        for block in blocks:
            script = "\n".join(line for line in block.splitlines() if not line.startswith(_UP))
            script = script.replace("@manual.pdf", f"@{manual}").replace(".venv/bin/skillnet", "skillnet")
            run = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
            assert run.returncode == 0, f"{block}\n{run.stdout}\n{run.stderr}"
            assert '"code"' not in run.stdout, f"{block}\n{run.stdout}"
        with SkillnetClient(system.address, system.api_key) as client:
            assert len(list(client.documents())) >= 17
