"""The program that keeps vector indexes, in Compose and on Kubernetes."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from tests.manifests import compose
from tests.manifests.dockerfile import stages
from tests.manifests.files import ROOT
from tests.manifests.kubernetes import resources, secrets

from skillnet_bootstrap.indexes import IndexSettings
from skillnet_common.database.vector_indexes import ExactSettings

COMMAND = ["python", "-m", "skillnet_bootstrap.indexes"]
ROLES = {"DATABASE_MIGRATOR_URL": "skillnet_migrator", "DATABASE_DISPATCHER_URL": "skillnet_dispatcher"}


def check(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is given is read, and each address is its role's."""
    known = {name.upper() for one in (IndexSettings, ExactSettings) for name in one.model_fields}
    assert set(environment) <= known
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    IndexSettings()
    ExactSettings()
    assert {name: urlsplit(environment[name]).username for name in ROLES} == ROLES


def test_compose_runs_it_when_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {name: value for name, value in compose.example_variables(optional=True).items() if value}
    env_file = compose.filled_in(tmp_path, values)
    run = compose.compose(env_file, "--profile", "upkeep", "config", "--format", "json")
    assert run.returncode == 0, run.stderr
    service = yaml.safe_load(run.stdout)["services"]["indexes"]
    assert service["entrypoint"] == COMMAND
    assert service["image"] == "skillnet/bootstrap:latest"
    check(compose.environment(service), monkeypatch)
    assert "indexes" not in compose.resolved(tmp_path)["services"]


def test_kubernetes_runs_it_by_the_clock_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    (job,) = resources("CronJob")
    assert job["spec"]["concurrencyPolicy"] == "Forbid"
    (container,) = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert container["command"] == COMMAND
    assert container["image"].removeprefix("skillnet/") in stages(ROOT / "Dockerfile")
    given: dict[str, str] = {}
    for variable in container["env"]:
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        given[variable["name"]] = secrets()[reference["name"]][reference["key"]] if reference else variable["value"]
    password = given.pop("MIGRATOR_PASSWORD")
    assert "$(MIGRATOR_PASSWORD)" in given["DATABASE_MIGRATOR_URL"]
    given["DATABASE_MIGRATOR_URL"] = given["DATABASE_MIGRATOR_URL"].replace("$(MIGRATOR_PASSWORD)", password)
    hosts = {urlsplit(given[name]).netloc.rpartition("@")[2] for name in ROLES}
    assert len(hosts) == 1
    check(given, monkeypatch)
