"""What the Tab key offers, in the form that each shell asks for it; in bash through bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from skillnet_cli.profiles import Profile, Profiles, save_profiles
from skillnet_client import UploadOptions

from .system import SKILLNET, System, clean_environment, run_skillnet

NO_DETECTION = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def config(tmp_path: Path) -> dict[str, str]:
    """Two profiles whose gateway never answers."""
    path = tmp_path / "config.toml"
    away = [Profile(name, url="http://192.0.2.1", api_key="sk_x") for name in ("tienda", "oficina")]
    save_profiles(path, Profiles({profile.name: profile for profile in away}))
    return {"SKILLNET_CONFIG": str(path), "SKILLNET_HOME": str(tmp_path / "nada")}


def offered(shell: str, line: str, environment: dict[str, str]) -> set[str]:
    """The words that the command answers the shell with."""
    words = line.split(" ")
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    done = run_skillnet(environment={**environment, **asked, "_SKILLNET_COMPLETE": f"complete_{shell}"})
    assert done.stderr == ""
    text = done.stdout.replace('"', " ").replace("(", " ").replace(")", " ")
    return {word.partition(":")[0] for word in text.split()}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_shown_and_installed(shell: str, tmp_path: Path) -> None:
    environment = {**NO_DETECTION, "HOME": str(tmp_path)}
    shown = run_skillnet("--show-completion", shell, environment=environment)
    assert (shown.returncode, "_SKILLNET_COMPLETE" in shown.stdout) == (0, True)
    installed = run_skillnet("--install-completion", shell, environment=environment)
    assert installed.returncode == 0, installed.stderr
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "_SKILLNET_COMPLETE" in written


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_profiles_are_offered(shell: str, config: dict[str, str]) -> None:
    assert {"dlq", "events", "ingest", "profiles"} <= offered(shell, "skillnet ", config)
    profiles = offered(shell, "skillnet documents --org t", config)
    assert ("tienda" in profiles, "oficina" in profiles) == (True, False)


def test_a_gateway_that_is_away_is_silent(config: dict[str, str]) -> None:
    assert offered("bash", "skillnet --org tienda show x", config) == set()
    assert offered("bash", "skillnet show x", config) == set(), "nothing runs here"


def test_a_broken_file_of_profiles_is_silent(config: dict[str, str]) -> None:
    Path(config["SKILLNET_CONFIG"]).write_text("[")
    assert offered("bash", "skillnet documents --org t", config) == set()


def test_keys_of_documents_are_offered(system: System) -> None:
    with system.client() as client:
        client.upload(
            b"# Vales\n\nUn vale dura un mes.\n",
            UploadOptions(filename="vales.md", external_key="completado/vales.md"),
        )
    environment = {"SKILLNET_HOME": str(system.data)}
    assert offered("bash", "skillnet show completado/v", environment) == {"completado/vales.md"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_itself_completes(config: dict[str, str]) -> None:
    script = run_skillnet("--show-completion", "bash", environment=NO_DETECTION).stdout
    ask = (
        'COMP_WORDS=(skillnet documents --org t); COMP_CWORD=3; _skillnet_completion skillnet; echo "${COMPREPLY[@]}"'
    )
    path = f"{Path(SKILLNET).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{ask}"],
        env={**clean_environment(config), "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["tienda"]
