"""docs/deploy.md: its commands work and what it names exists."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.docs.pages import code_spans, shell_blocks
from tests.manifests import compose
from tests.manifests.code import IMAGES, variables
from tests.manifests.files import ROOT

from skillnet_bootstrap.settings import BootstrapSettings
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.server_config import password_variable

PAGE = ROOT / "docs/deploy.md"
COMPOSE, KUBERNETES, BACKUP = shell_blocks(PAGE)


def test_five_commands_start_the_system() -> None:
    assert len(COMPOSE.strip().splitlines()) == 5


def test_the_first_command_makes_an_env_that_compose_takes(tmp_path: Path) -> None:
    shutil.copy(compose.EXAMPLE, tmp_path)
    subprocess.run(["bash", "-euc", COMPOSE.splitlines()[0]], cwd=tmp_path, check=True)
    run = compose.compose(tmp_path / ".env", "config", "--quiet")
    assert (run.returncode, run.stderr) == (0, "")
    secrets = [
        line.partition("=")[2]
        for line in (tmp_path / ".env").read_text().splitlines()
        if line.partition("=")[0] in compose.example_variables(optional=False)
    ]
    assert len(set(secrets)) == len(secrets) == len(compose.example_variables(optional=False))
    (least,) = [one.min_length for one in BootstrapSettings.model_fields["first_api_key"].metadata]
    assert min(map(len, secrets)) >= least


@pytest.mark.parametrize("block", [COMPOSE, BACKUP])
def test_what_is_read_from_the_env_is_in_it(block: str) -> None:
    named = re.findall(r"\^([A-Z_]+)=", block)
    assert named
    assert set(named) <= set(compose.example_variables(optional=False))


def test_folders_and_files_of_the_kubernetes_commands_exist() -> None:
    folders = re.findall(r"--kustomize (\S+)", KUBERNETES)
    assert len(folders) == 2
    assert [folder for folder in folders if not (ROOT / folder / "kustomization.yaml").is_file()] == []


def test_every_variable_that_the_page_names_exists() -> None:
    known = {name for image in IMAGES for name in variables(image)}
    known |= {password_variable(user.name) for user in service_users()}
    known |= {*compose.example_variables(optional=True), *compose.example_variables(optional=False)}
    spans = (re.sub(r"=.*", "", span.removeprefix("--build-arg ")) for span in code_spans(PAGE))
    named = {span for span in spans if re.fullmatch(r"[A-Z]+(_[A-Z]+)+", span)}
    assert len(named) > 10
    assert named - known == set()
