"""The Dockerfile holds an image for each service, with its extra and nothing else."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.manifests.code import IMAGES, needed, unknown
from tests.manifests.dockerfile import Stage, lineage, model_command, stages
from tests.manifests.files import ROOT

from skillnet_cli.local.services import SERVICES
from skillnet_parser.settings import ParserSettings

DOCKERFILE = ROOT / "Dockerfile"
STAGES = stages(DOCKERFILE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WITH_MODEL = ("chunker", "embedder", "retriever")


def environment(name: str) -> dict[str, str]:
    return {key: value for stage in lineage(STAGES, name) for key, value in stage.environment.items()}


def last(name: str, instruction: str) -> str:
    return [line for stage in lineage(STAGES, name) for line in stage.every(instruction)][-1]


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_starts_its_service_as_an_ordinary_user(name: str) -> None:
    command = json.loads(last(name, "ENTRYPOINT"))
    assert command == ["python", "-m", f"skillnet_{name}"]
    assert importlib.util.find_spec(f"skillnet_{name}.__main__") is not None
    assert last(name, "USER") == "10001:10001"
    assert STAGES[name].every("USER") == []


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_holds_its_own_extra_alone(name: str) -> None:
    (install,) = [run for run in STAGES[f"{name}-environment"].every("RUN") if "pip install" in run]
    assert re.findall(r"\[(\w+)\]", install) == [name]
    assert name in PROJECT["project"]["optional-dependencies"]
    assert "--constraint constraints.txt" in install
    sources = {copy.split()[0] for copy in STAGES[name].every("COPY")}
    assert sources == {f"--from={name}-environment"}
    # The environment's python is the image's own.
    assert lineage(STAGES, name)[0].base == lineage(STAGES, f"{name}-environment")[0].base


@pytest.mark.parametrize("name", IMAGES)
def test_every_variable_of_an_image_is_a_setting_of_its_service(name: str) -> None:
    assert (
        unknown(name, set(environment(name)) - ({"OPS_HOST", "OPS_PORT"} if name == "bootstrap" else set())) == set()
    )
    if name != "bootstrap":
        assert {"OPS_HOST", "OPS_PORT"} <= environment(name).keys()
        assert ({"HTTP_HOST", "HTTP_PORT"} & needed(name)) <= environment(name).keys()


@pytest.mark.parametrize("name", SERVICES)
def test_ports_and_health_check_are_those_that_the_service_listens_on(name: str) -> None:
    exposed = {port for stage in lineage(STAGES, name) for line in stage.every("EXPOSE") for port in line.split()}
    own = environment(name)
    assert exposed == {own[port] for port in ("OPS_PORT", "HTTP_PORT") if port in own}
    assert own["OPS_HOST"] == "0.0.0.0"  # noqa: S104
    assert "/readyz" in last(name, "HEALTHCHECK")
    assert r"os.environ[\"OPS_PORT\"]" in last(name, "HEALTHCHECK")


def test_the_health_check_is_a_program_that_fails_where_nobody_answers() -> None:
    command = json.loads(last("parser", "HEALTHCHECK").partition("CMD ")[2])
    assert command[:2] == ["python", "-c"]
    run = subprocess.run([sys.executable, *command[1:]], env={"OPS_PORT": "1"}, capture_output=True, check=False)
    assert run.returncode != 0
    assert b"URLError" in run.stderr


def test_a_job_has_no_health_check() -> None:
    assert last("bootstrap", "HEALTHCHECK") == "NONE"


@pytest.mark.parametrize("name", WITH_MODEL)
def test_the_model_is_prepared_where_the_service_looks_for_it(name: str) -> None:
    compile(model_command(DOCKERFILE, name), "Dockerfile", "exec")
    folder = environment(name)["SKILLNET_MODEL_CACHE"]
    assert environment(f"{name}-environment")["SKILLNET_MODEL_CACHE"] == folder
    assert any(copy.endswith(f"{folder} {folder}") for copy in STAGES[name].every("COPY"))


@pytest.mark.parametrize("name", [name for name in IMAGES if name not in WITH_MODEL])
def test_no_other_image_holds_a_model(name: str) -> None:
    assert "SKILLNET_MODEL_CACHE" not in environment(name)


def test_the_wheel_is_built_from_all_it_needs_and_the_build_sees_it() -> None:
    copied = {path for copy in STAGES["wheel"].every("COPY") for path in copy.split()[:-1]}
    packages = {
        Path(package).parts[0] for package in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    }
    assert packages <= copied
    assert {PROJECT["project"]["readme"], "pyproject.toml"} <= copied
    needed_files = {*copied, "constraints.txt"}
    assert [name for name in needed_files if not (ROOT / name).exists()] == []
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    assert {line[1:] for line in lines if line.startswith("!")} == needed_files


def test_hadolint_finds_no_fault() -> None:
    program = Path(sys.executable).with_name("hadolint")
    run = subprocess.run([program, str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


def test_a_stage_that_is_named_nowhere_else_is_an_image() -> None:
    used = {stage.base for stage in STAGES.values()}
    used |= {match for stage in STAGES.values() for copy in stage.every("COPY") for match in _sources(copy)}
    assert set(STAGES) - used == set(IMAGES)


def _sources(copy: str) -> list[str]:
    return re.findall(r"--from=(\S+)", copy)


def test_the_reader_follows_stages_and_continued_lines(tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text('# x\nFROM a AS one\nENV A=1 \\\n    B="2 3"\n\nFROM one AS two\nUSER me\n')
    found = stages(file)
    assert found["one"] == Stage("one", "a", [("ENV", 'A=1      B="2 3"')])
    assert [stage.name for stage in lineage(found, "two")] == ["one", "two"]
    assert found["one"].environment == {"A": "1", "B": "2 3"}


def test_the_parser_finds_the_data_of_its_languages_where_they_are_installed() -> None:
    install = " ".join(STAGES["parser-environment"].every("RUN"))
    languages = ParserSettings().parse_ocr_languages.split("+")
    assert all(f"tesseract-ocr-{language}" in install for language in languages)
    folder = environment("parser")["TESSDATA_PREFIX"]
    assert f"--from=parser-environment {folder} {folder}" in STAGES["parser"].every("COPY")
