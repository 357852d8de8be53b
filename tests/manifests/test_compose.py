"""docker-compose.yml: Compose takes it, and all it names exists in the code."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from tests.manifests import compose
from tests.manifests.code import BOOTSTRAP, IMAGES, check_values, is_answered, needed, unknown
from tests.manifests.dockerfile import lineage, stages
from tests.manifests.files import ROOT

from skillnet_cli.local.postgres import MAJOR_VERSION
from skillnet_cli.local.programs import nats_server_program
from skillnet_cli.local.services import SERVICES
from skillnet_common.database import ROLES
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.server_config import CLIENT_PORT, MONITORING_PORT, STORE_FOLDER, password_variable
from skillnet_common.settings import CommonSettings

IMAGES_OF_THE_FILE = stages(ROOT / "Dockerfile")
_CLOSING_SECONDS = 20
"""What a process takes at most after the drain: for the bus, the pool and the operations port."""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return compose.resolved(tmp_path_factory.mktemp("compose"))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """With every optional variable of .env.example uncommented that has a value there."""
    optional = {name: value for name, value in compose.example_variables(optional=True).items() if value}
    more = {**optional, "LLM_MODEL": "model"}
    return compose.resolved(tmp_path_factory.mktemp("compose"), more)


def image_environment(name: str) -> dict[str, str]:
    return {key: value for stage in lineage(IMAGES_OF_THE_FILE, name) for key, value in stage.environment.items()}


def seconds(text: str) -> float:
    minutes, rest = re.fullmatch(r"(?:(\d+)m)?(?:([\d.]+)s)?", text).groups()  # type: ignore[union-attr]
    return 60 * int(minutes or 0) + float(rest or 0)


def test_compose_finds_no_fault(tmp_path: Path) -> None:
    run = compose.compose(compose.filled_in(tmp_path), "config", "--quiet")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_every_secret_must_be_given(tmp_path: Path) -> None:
    """The example as it is starts nothing, and says of each what is missing."""
    run = compose.compose(compose.EXAMPLE, "config", "--quiet")
    assert run.returncode != 0
    missing = set(re.findall(r"required variable (\w+) is missing", run.stderr))
    assert missing == set(compose.example_variables(optional=False))
    assert set(compose.example_variables(optional=False).values()) == {""}


def test_the_example_names_every_variable_of_the_file_and_no_other() -> None:
    interpolated = set(re.findall(r"\$\{(\w+)", compose.text()))
    documents = yaml.safe_load(compose.text())
    blocks = [value for key, value in documents.items() if key.startswith("x-") and key != "x-service"]
    blocks += [service.get("environment", {}) for service in documents["services"].values()]
    handed_on = {name for block in blocks for name, value in block.items() if value is None}
    named = {**compose.example_variables(optional=True), **compose.example_variables(optional=False)}
    assert interpolated | handed_on == set(named)


def test_all_seven_services_and_the_bootstrap_are_built_from_their_targets(config: dict[str, Any]) -> None:
    services = config["services"]
    assert set(services) == {*IMAGES, "postgres", "nats"}
    assert {name: services[name]["build"]["target"] for name in IMAGES} == {name: name for name in IMAGES}
    assert {services[name]["image"] for name in IMAGES} == {f"skillnet/{name}:latest" for name in IMAGES}
    assert [name for name in IMAGES if "command" in services[name] and services[name]["command"]] == []


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("which", ["config", "full"])
def test_a_service_gets_settings_that_it_has_and_all_that_it_needs(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, name: str, which: str
) -> None:
    found = request.getfixturevalue(which)
    given = compose.environment(found["services"][name])
    assert unknown(name, set(found["services"][name]["environment"])) == set()
    assert needed(name) - {*given, *(image_environment(name) if name != BOOTSTRAP else {})} == set()
    check_values(name, {**given, **image_environment(name)}, monkeypatch)


@pytest.mark.parametrize("name", SERVICES)
async def test_a_service_is_asked_whether_it_is_ready_as_its_image_is(config: dict[str, Any], name: str) -> None:
    check = config["services"][name]["healthcheck"]["test"]
    (of_the_image,) = [line for stage in lineage(IMAGES_OF_THE_FILE, name) for line in stage.every("HEALTHCHECK")]
    assert check == ["CMD", *json.loads(of_the_image.partition("CMD ")[2])]
    (path,) = re.findall(r"\}(/\w+)'", check[-1])
    assert await is_answered(path)
    assert not await is_answered("/healthz")


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_starts_after_the_bootstrap_and_may_drain(config: dict[str, Any], name: str) -> None:
    service = config["services"][name]
    conditions = {other: what["condition"] for other, what in service["depends_on"].items()}
    assert conditions[BOOTSTRAP] == "service_completed_successfully"
    assert {conditions["postgres"], conditions["nats"]} == {"service_healthy"}
    drain = CommonSettings.model_fields["drain_seconds"].default
    assert seconds(service["stop_grace_period"]) >= drain + _CLOSING_SECONDS
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("name", IMAGES)
def test_the_database_is_reached_with_the_role_and_password_that_the_bootstrap_sets(
    config: dict[str, Any], name: str
) -> None:
    own = compose.environment(config["services"][name])
    url = urlsplit(own["DATABASE_ADMIN_URL" if name == BOOTSTRAP else "DATABASE_URL"])
    postgres = compose.environment(config["services"]["postgres"])
    assert (url.hostname, url.port, url.path) == ("postgres", 5432, f"/{postgres['POSTGRES_DB']}")
    if name == BOOTSTRAP:
        assert (url.username, url.password) == ("postgres", postgres["POSTGRES_PASSWORD"])
        return
    role = "skillnet_dispatcher" if name == "dispatcher" else "skillnet_service"
    assert url.username == role
    assert role in ROLES
    variable = f"DATABASE_{role.removeprefix('skillnet_').upper()}_PASSWORD"
    assert f"${{{variable}:?set it in .env}}@" in compose.text()
    assert url.password == compose.environment(config["services"][BOOTSTRAP])[variable]


def test_the_bus_knows_every_user_and_each_service_is_the_one_it_should_be(config: dict[str, Any]) -> None:
    users = {user.name for user in service_users()}
    given = compose.environment(config["services"]["nats"])
    assert set(given) == {password_variable(user) for user in users}
    # In quotes: see `password_variable`.
    assert set(given.values()) == {f"'{compose.SECRET}'"}
    for name in IMAGES:
        own = compose.environment(config["services"][name])
        assert own["NATS_USER"] == ("admin" if name == BOOTSTRAP else name)
        assert own["NATS_USER"] in users
        assert own["NATS_URL"] == f"nats://nats:{CLIENT_PORT}"
    source = yaml.safe_load(compose.text())["services"]
    for name in IMAGES:
        user = "admin" if name == BOOTSTRAP else name
        assert source[name]["environment"]["NATS_PASSWORD"] == f"${{{password_variable(user)}:?set it in .env}}"


def test_the_servers_are_those_that_the_tests_run_against(config: dict[str, Any], tmp_path: Path) -> None:
    services = config["services"]
    assert services["postgres"]["image"] == f"pgvector/pgvector:pg{MAJOR_VERSION}"
    version = subprocess.run([nats_server_program(), "--version"], capture_output=True, text=True, check=True).stdout
    (minor,) = re.findall(r"v(\d+\.\d+)\.", version)
    assert services["nats"]["image"] == f"nats:{minor}-alpine"
    assert services["nats"]["healthcheck"]["test"][-1] == f"http://127.0.0.1:{MONITORING_PORT}/healthz"


def test_what_must_last_lies_on_volumes(config: dict[str, Any]) -> None:
    services = config["services"]
    mounts = {name: {mount["target"]: mount for mount in services[name].get("volumes", [])} for name in services}
    # Since version 18 the image keeps its data below a folder of the version in this one.
    assert mounts["postgres"]["/var/lib/postgresql"]["type"] == "volume"
    assert any(STORE_FOLDER.startswith(f"{folder}/") for folder, mount in mounts["nats"].items() if "volume" in mount)
    assert Path(mounts["nats"]["/etc/nats/nats.conf"]["source"]) == ROOT / "deploy/nats/nats.conf"
    assert services["nats"]["command"] == ["--config", "/etc/nats/nats.conf"]
    keepers = {name for name in SERVICES if "OBJECT_STORE_URL" in needed(name)}
    assert keepers == {name for name in SERVICES if mounts[name]}
    for name in keepers:
        folder = urlsplit(compose.environment(services[name])["OBJECT_STORE_URL"]).path
        assert mounts[name][folder]["source"] == "objects"
        # The image makes the folder for its user, whom the volume takes over.
        assert any(folder in run for run in IMAGES_OF_THE_FILE["runtime"].every("RUN"))


def test_the_gateway_alone_is_reached_from_outside_and_only_from_this_machine(config: dict[str, Any]) -> None:
    ports = {name: service.get("ports", []) for name, service in config["services"].items()}
    assert [name for name, published in ports.items() if published] == ["gateway"]
    (port,) = ports["gateway"]
    assert port["host_ip"] == "127.0.0.1"
    assert str(port["target"]) == compose.environment(config["services"]["gateway"])["HTTP_PORT"]


def test_gateway_and_chunker_cut_alike_and_all_embed_alike(full: dict[str, Any]) -> None:
    environments = {name: compose.environment(full["services"][name]) for name in IMAGES}
    for prefix, names in (("CHUNK_", ("gateway", "chunker")), ("EMBEDDING_", ("chunker", "embedder", "retriever"))):
        given = [{k: v for k, v in environments[name].items() if k.startswith(prefix)} for name in names]
        assert given[0]
        assert all(one == given[0] for one in given)


def test_a_typing_error_would_be_seen() -> None:
    assert unknown("parser", {"DATABSE_URL", "PARSE_MAX_PAGES"}) == {"DATABSE_URL"}
    assert unknown("parser", {"AWS_REGION", "AWS_REGOIN"}) == {"AWS_REGOIN"}
    assert unknown("notifier", {"AWS_REGION"}) == {"AWS_REGION"}
