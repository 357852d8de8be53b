"""Each service runs with its own extra alone: installed, started, doing its work, drained."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.install.environments import ROOT, Environment, Running, build_wheel, install, plain_variables, start
from tests.manifests.dockerfile import model_command

from skillnet_bootstrap.provision import create_database
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.ports import free_port
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.services import SERVICES
from skillnet_cli.local.temporary import temporary_nats, temporary_postgres
from skillnet_client import SkillnetClient
from skillnet_common.auth import new_key
from skillnet_common.database import ROLES
from skillnet_common.messaging.permissions import service_users

pytestmark = [pytest.mark.extras, pytest.mark.timeout(900)]

PASSWORD = "secret"
KEY = new_key()
QUESTION = "¿Cuánto dura un vale de compra?"
# What only one service needs must not come with another.
FOREIGN = {
    "gateway": ("onnxruntime", "pymupdf", "tokenizers"),
    "dispatcher": ("onnxruntime", "pymupdf", "fastapi", "httpx"),
    "parser": ("onnxruntime", "fastapi", "httpx"),
    "chunker": ("onnxruntime", "pymupdf", "fastapi"),
    "embedder": ("pymupdf", "fastapi"),
    "retriever": ("pymupdf", "fastapi"),
    "notifier": ("onnxruntime", "pymupdf", "fastapi", "httpx"),
    "bootstrap": ("onnxruntime", "pymupdf", "fastapi", "httpx"),
}
_EVERY_MODULE = """
import importlib, pkgutil
for name in {packages}:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Environment]:
    folder = tmp_path_factory.mktemp("extras")
    return install(build_wheel(folder), (*SERVICES, "bootstrap", "cli"), folder)


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[EmbeddedPostgres, EmbeddedNats]]:
    with temporary_postgres() as postgres, temporary_nats({user.name: user for user in service_users()}) as bus:
        yield postgres, bus


@pytest.fixture(scope="module")
def shared_variables(servers: tuple[EmbeddedPostgres, EmbeddedNats]) -> dict[str, str]:
    return {"NATS_URL": servers[1].url, "DRAIN_SECONDS": "10"}


@pytest.fixture(scope="module")
async def database_name(servers: tuple[EmbeddedPostgres, EmbeddedNats]) -> str:
    await create_database(servers[0].admin_url, "skillnet")
    return "skillnet"


@pytest.fixture(scope="module")
def bootstrapped(
    environments: Mapping[str, Environment],
    servers: tuple[EmbeddedPostgres, EmbeddedNats],
    shared_variables: Mapping[str, str],
    database_name: str,
) -> str:
    """The name of a database that the bootstrap of its own environment has prepared."""
    postgres, bus = servers
    variables = {
        **shared_variables,
        "DATABASE_ADMIN_URL": postgres.url(database_name),
        **{f"DATABASE_{role.removeprefix('skillnet_').upper()}_PASSWORD": PASSWORD for role in ROLES},
        "NATS_USER": "admin",
        "NATS_PASSWORD": bus.users["admin"].password,
        "FIRST_API_KEY": KEY,
    }
    run = subprocess.run(
        [environments["bootstrap"].python, "-m", "skillnet_bootstrap"],
        env=plain_variables(variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return database_name


@pytest.fixture(scope="module")
def gateway_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def services(
    environments: Mapping[str, Environment],
    servers: tuple[EmbeddedPostgres, EmbeddedNats],
    shared_variables: Mapping[str, str],
    bootstrapped: str,
    gateway_port: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Running]]:
    postgres, bus = servers
    folder = tmp_path_factory.mktemp("services")
    running = {}
    for name in SERVICES:
        role = "skillnet_dispatcher" if name == "dispatcher" else "skillnet_service"
        variables = {
            **shared_variables,
            "DATABASE_URL": postgres.url(bootstrapped, role, PASSWORD),
            "NATS_USER": name,
            "NATS_PASSWORD": bus.users[name].password,
            "OBJECT_STORE_URL": (folder / "objects").as_uri(),
            "HTTP_PORT": str(gateway_port),
        }
        running[name] = start(environments[name], variables, folder)
    try:
        yield running
    finally:
        for service in running.values():
            service.process.kill()
            service.process.wait()


@pytest.mark.parametrize("name", [*SERVICES, "bootstrap"])
def test_no_module_of_a_service_imports_what_its_extra_lacks(
    environments: Mapping[str, Environment], name: str
) -> None:
    run = environments[name].run(_EVERY_MODULE.format(packages=(f"skillnet_{name}",)))
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("name", [*SERVICES, "bootstrap"])
def test_an_extra_brings_nothing_that_only_others_need(environments: Mapping[str, Environment], name: str) -> None:
    code = f"import importlib.util as u; print([n for n in {FOREIGN[name]} if u.find_spec(n)])"
    assert environments[name].run(code).stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["chunker", "embedder", "retriever"])
def test_the_model_is_built_with_what_the_extra_holds(
    environments: Mapping[str, Environment], name: str, tmp_path: Path
) -> None:
    """By the very command with which the image prepares it."""
    cache = {"SKILLNET_MODEL_CACHE": str(tmp_path)}
    run = environments[name].run(model_command(ROOT / "Dockerfile", name), cache)
    assert run.returncode == 0, run.stderr
    assert any(tmp_path.rglob("model.json"))
    # From then on it is used without writing, as on a read-only file system.
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert environments[name].run(model_command(ROOT / "Dockerfile", name), cache).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_becomes_ready(services: Mapping[str, Running], name: str) -> None:
    services[name].wait_until_ready()
    assert services[name].answer("/livez") == 200
    assert services[name].answer("/metrics") == 200


def test_a_document_goes_through_all_of_them(services: Mapping[str, Running], gateway_port: int) -> None:
    for service in services.values():
        service.wait_until_ready()
    with SkillnetClient(f"http://127.0.0.1:{gateway_port}", KEY) as client:
        documents = ROOT / "examples/documents"
        uploads = []
        for name in ("politica-de-devoluciones.pdf", "manejo-de-efectivo.docx", "calendario-y-turnos-2026.md"):
            uploads.append(client.upload(documents / name).document_id)
        client.wait_until_settled(uploads)
        answer = client.ask(QUESTION)
    assert answer.citations
    assert "vale" in answer.answer


def test_the_command_speaks_to_a_gateway_elsewhere(
    environments: Mapping[str, Environment], services: Mapping[str, Running], gateway_port: int
) -> None:
    services["gateway"].wait_until_ready()
    run = subprocess.run(
        [environments["cli"].folder / "bin" / "skillnet", "documents", "--json"],
        env=plain_variables({"SKILLNET_URL": f"http://127.0.0.1:{gateway_port}", "SKILLNET_API_KEY": KEY}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "politica-de-devoluciones.pdf" in run.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_drains_on_sigterm(services: Mapping[str, Running], name: str) -> None:
    services[name].wait_until_ready()
    assert services[name].terminate() == 0, services[name].log
    assert "Traceback" not in services[name].log


def test_nothing_of_the_tests_environment_was_in_reach(environments: Mapping[str, Environment]) -> None:
    code = "import skillnet_common, sys; print(skillnet_common.__file__); print([p for p in sys.path])"
    for environment in environments.values():
        output = environment.run(code).stdout
        assert str(environment.folder) in output.splitlines()[0]
        assert f"{ROOT}{os.sep}" not in output
