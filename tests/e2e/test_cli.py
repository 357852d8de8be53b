"""Every command of `skillnet` beside a running stack: tables for people, JSON for programs, exit codes for all."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from skillnet_cli.exits import Exit
from skillnet_cli.local.state import running_stack
from skillnet_cli.local.temporary import temporary_folder
from skillnet_client import SkillnetClient

from .files import pdf
from .system import SKILLNET, STOP_SECONDS, System, clean_environment, run_skillnet

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
COURSE = "incorporación"
QUESTION = "¿A qué hora se corta el agua en la tienda de Zafra?"
NOTICE = "AVISO A TODO EL PERSONAL DE LA TIENDA DE ZAFRA (T05)"

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def library() -> Iterator[Path]:
    """A folder with good files, hidden ones, and two that cannot be read."""
    with temporary_folder("biblioteca", in_memory=True) as folder:
        (folder / "avisos").mkdir()
        (folder / ".git").mkdir()
        shutil.copy(EXAMPLES / "aviso-corte-de-agua.txt", folder / "avisos" / "corte de agua.txt")
        shutil.copy(EXAMPLES / "politica-de-devoluciones.pdf", folder)
        (folder / ".git" / "config.md").write_text("# Oculto")
        (folder / "cifrado.pdf").write_bytes(pdf("Secreto.", password="clave"))
        (folder / "vacío.txt").touch()
        yield folder


@pytest.fixture(scope="module")
def ingested(system: System, library: Path) -> Done:
    """`skillnet ingest FOLDER`, the first time."""
    return system.skillnet("ingest", str(library), "--root", str(library), "--course", COURSE)


def parsed(done: Done, code: Exit = Exit.OK) -> Any:
    """The JSON on standard output of a command that ended with the exit code."""
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def text(done: Done) -> str:
    """The standard output of a command that ended well."""
    assert done.returncode == Exit.OK, done.stderr
    return done.stdout


def refusal(done: Done, code: Exit) -> str:
    """The one sentence on standard error of a command that failed."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


# -- ingest


def test_ingest_a_folder_tells_what_failed_and_why(ingested: Done) -> None:
    assert ingested.returncode == Exit.FAILED
    assert "2 ready" in ingested.stdout
    assert "1 failed" in ingested.stdout
    assert "1 refused" in ingested.stdout
    lines = [line.rstrip() for line in ingested.stdout.splitlines()]
    encrypted = next(line for line in lines if line.startswith("cifrado.pdf"))
    assert encrypted.endswith("password_required")
    assert "password" in encrypted.removesuffix("password_required")
    empty = next(line for line in lines if line.startswith("vacío.txt"))
    assert empty.endswith("empty_file")
    assert "Oculto" not in ingested.stdout
    assert "Reading" in ingested.stderr or "Read" in ingested.stderr


def test_ingest_again_finds_what_is_unchanged(system: System, library: Path, ingested: Done) -> None:
    globbed = system.skillnet("ingest", f"{library}/*/*.txt", f"{library}/pol*.pdf", "--root", str(library), "--json")
    results = parsed(globbed)
    assert [(result["key"], result["outcome"], result["version"]) for result in results] == [
        ("avisos/corte de agua.txt", "unchanged", 1),
        ("politica-de-devoluciones.pdf", "unchanged", 1),
    ]
    assert globbed.stderr == ""


def test_ingest_a_file_is_named_by_its_path(system: System, tmp_path: Path) -> None:
    path = tmp_path / "nota suelta.md"
    path.write_text("# Nota suelta\n\nEl horno pequeño se apaga a las dos.", encoding="utf-8")
    (result,) = parsed(system.skillnet("ingest", str(path), "--json"))
    assert (result["outcome"], result["key"], result["pages"]) == ("ready", path.resolve().as_posix(), 1)
    assert system.skillnet("delete", str(path), "--yes").returncode == Exit.OK


def test_ingest_nothing(system: System, library: Path) -> None:
    assert "nada*.pdf" in refusal(system.skillnet("ingest", str(library / "nada*.pdf")), Exit.NOT_FOUND)


# -- documents, show, delete


def test_documents(system: System, ingested: Done) -> None:
    table = text(system.skillnet("documents"))
    assert table.splitlines()[0].split() == ["Title", "Status", "Pages", "Id"]
    ready = parsed(system.skillnet("documents", "--status", "ready", "--course", COURSE, "--json"))
    for document in ready:
        assert any(document["title"] in line and document["document_id"] in line for line in table.splitlines())
    assert {document["external_key"] for document in ready} == {
        "avisos/corte de agua.txt",
        "politica-de-devoluciones.pdf",
    }
    (failed,) = parsed(system.skillnet("documents", "--status", "failed", "--json"))
    assert failed["failure"]["code"] == "password_required"


def test_show_by_key_and_by_id(system: System, ingested: Done) -> None:
    by_key = parsed(system.skillnet("show", "politica-de-devoluciones.pdf", "--json"))
    assert (by_key["status"], by_key["page_count"], by_key["courses"]) == ("ready", 3, [COURSE])
    assert [version["version"] for version in by_key["versions"]] == [1]
    assert parsed(system.skillnet("show", by_key["document_id"], "--json")) == by_key
    shown = text(system.skillnet("show", "politica-de-devoluciones.pdf"))
    assert "Política de devoluciones y cambios" in shown
    failed = text(system.skillnet("show", "cifrado.pdf"))
    assert "password_required" in failed


def test_delete(system: System, tmp_path: Path) -> None:
    path = tmp_path / "caducada.md"
    path.write_text("# Norma caducada\n\nYa no vale.", encoding="utf-8")
    (result,) = parsed(system.skillnet("ingest", str(path), "--root", str(tmp_path), "--json"))
    assert "Norma caducada" in text(system.skillnet("delete", "caducada.md", "--yes"))
    assert refusal(system.skillnet("show", result["document_id"]), Exit.NOT_FOUND)
    error = json.loads(refusal(system.skillnet("delete", "caducada.md", "--yes", "--json"), Exit.NOT_FOUND))
    assert error["error"]["code"] == "not_found"
    (again,) = parsed(system.skillnet("ingest", str(path), "--root", str(tmp_path), "--json"))
    assert (again["document_id"], again["version"]) == (result["document_id"], 2)
    assert parsed(system.skillnet("delete", "caducada.md", "-y", "--json")) == {"deleted": result["document_id"]}


# -- search, ask


def test_search(system: System, ingested: Done) -> None:
    found = text(system.skillnet("search", QUESTION, "-n", "2"))
    assert found.startswith(f"1. {NOTICE}")
    reply = parsed(system.skillnet("search", "plazo de devolución de tartas y pasteles de vitrina", "--json"))
    best = reply["passages"][0]
    assert best["document_title"] == "Política de devoluciones y cambios"
    assert best["page_start"] == 1
    elsewhere = system.skillnet("search", QUESTION, "--document", "politica-de-devoluciones.pdf", "--json")
    titles = {passage["document_title"] for passage in parsed(elsewhere)["passages"]}
    assert titles <= {"Política de devoluciones y cambios"}
    assert "Nothing found" in text(system.skillnet("search", QUESTION, "--course", "otro curso"))


def test_ask(system: System, ingested: Done) -> None:
    answer = text(system.skillnet("ask", QUESTION))
    assert any(line.strip().startswith("[Fuente ") and NOTICE in line for line in answer.splitlines())
    reply = parsed(system.skillnet("ask", QUESTION, "--course", COURSE, "--json"))
    assert reply["rung"] in {"chunks", "document"}
    cited = [source for source in reply["sources"] if source["number"] in reply["citations"]]
    assert {source["document_title"] for source in cited} == {NOTICE}


def test_context_and_ground(system: System, ingested: Done) -> None:
    narrow = ("--type", "text", "--course", COURSE, "--updated-after", "2020-01-01")
    block = parsed(system.skillnet("context", QUESTION, *narrow, "--token-budget", "500", "--json"))
    assert {source["document_title"] for source in block["sources"]} == {NOTICE}
    assert block["token_count"] <= block["token_budget"] == 500
    assert NOTICE in text(system.skillnet("context", QUESTION, *narrow))
    assert parsed(system.skillnet("ground", QUESTION, *narrow, "--json"))["rung"] == "document"
    passages = ("--strategy", "hybrid", "--no-document")
    assert parsed(system.skillnet("ground", QUESTION, *narrow, *passages, "--json"))["rung"] == "chunks"
    nothing = system.skillnet("ground", QUESTION, "--course", "otro curso", "--no-general", "--no-document", "--json")
    assert parsed(nothing)["rung"] == "none"


def test_me(system: System) -> None:
    assert set(parsed(system.skillnet("me", "--json"))["scopes"]) >= {"documents:read", "documents:write", "admin"}
    assert "every group" in text(system.skillnet("me"))


# -- events tail


def test_events_tail(system: System, ingested: Done) -> None:
    with ThreadPoolExecutor() as pool:
        lines = pool.submit(system.skillnet, "events", "tail", "--since", "all", "-n", "3", "--json")
        table = pool.submit(system.skillnet, "events", "tail", "--since", "1h", "-n", "3")
    events = [json.loads(line) for line in text(lines.result()).splitlines()]
    assert len(events) == 3
    assert all(event["id"] and event["type"].startswith(("document.", "course.")) for event in events)
    assert len(text(table.result()).splitlines()) == 3


def test_events_tail_waits_for_what_comes(system: System, tmp_path: Path) -> None:
    path = tmp_path / "nueva.md"
    path.write_text("# Norma nueva\n\nDesde hoy vale esta.", encoding="utf-8")
    command = [SKILLNET, "events", "tail", "--since", "1s", "--json"]
    environment = clean_environment({"SKILLNET_HOME": str(system.data)})
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as tail:
        watchdog = threading.Timer(60, tail.kill)
        watchdog.start()
        try:
            system.skillnet("ingest", str(path), "--root", str(tmp_path))
            assert tail.stdout is not None
            titles = (json.loads(line)["data"].get("title") for line in tail.stdout)
            assert "Norma nueva" in titles
            tail.send_signal(signal.SIGINT)
            assert tail.wait(30) == Exit.OK
        finally:
            watchdog.cancel()
            tail.kill()
    system.skillnet("delete", "nueva.md", "--yes")


# -- models, status, doctor


def test_models_prepare(system: System) -> None:
    prepared = parsed(system.skillnet("models", "prepare", "--json"))
    assert prepared["dimension"] == 384
    assert Path(prepared["folder"]).is_dir()
    assert f"{prepared['model']} (384 dimensions) is ready" in text(system.skillnet("models", "prepare"))


def test_status(system: System, ingested: Done) -> None:
    status = parsed(system.skillnet("status", "--json"))
    assert (status["phase"], status["address"], status["data"]) == ("ready", system.address, str(system.data))
    names = {process["name"] for process in status["processes"]}
    assert names == {
        *("postgres", "nats", "gateway", "dispatcher", "parser", "chunker"),
        *("embedder", "embedder-2", "retriever", "notifier"),
    }
    assert {row["state"]: row["documents"] for row in status["documents"]}["failed"] == 1
    shown = text(system.skillnet("status"))
    assert f"ready at {system.address}" in shown
    assert "embedder-2" in shown


def test_doctor(system: System) -> None:
    examined = system.skillnet("doctor", "--json")
    findings = {finding["check"]: finding for finding in json.loads(examined.stdout)}
    assert [finding for finding in findings.values() if not finding["ok"]] == []
    assert examined.returncode == Exit.OK
    assert "embedder-2" in findings
    assert findings["scanned pages"]["detail"].startswith(("read in ", "not read: no Tesseract data for spa"))
    assert "BAD" not in text(system.skillnet("doctor"))


# -- what goes wrong


@pytest.mark.parametrize(
    "arguments",
    [
        ("documents", "--colour"),
        ("documents", "--status", "lost"),
        ("search",),
        ("search", ""),
        ("ask", "x" * 4001),
        ("search", "x", "--alpha", "2"),
        ("up", "--scale", "embedder"),
        ("up", "--scale", "printer=2"),
        ("events", "tail", "--since", "yesterday"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_wrong_usage(system: System, arguments: tuple[str, ...]) -> None:
    done = system.skillnet(*arguments)
    assert done.returncode == Exit.USAGE, done.stdout + done.stderr
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_a_second_stack_in_the_same_folder(system: System) -> None:
    done = system.skillnet("up")
    assert done.returncode == Exit.FAILED
    assert "already runs" in done.stderr
    assert system.skillnet("status").returncode == Exit.OK


def test_a_port_that_is_taken(system: System, tmp_path: Path) -> None:
    taken = system.address.rpartition(":")[2]
    refused = run_skillnet("up", "--port", taken, "--data", str(tmp_path / "other"))
    assert refused.returncode == 1
    assert f"Port {taken} of 127.0.0.1 is in use" in refused.stderr


def test_unknown_documents(system: System) -> None:
    for arguments in (("show", str(uuid4())), ("delete", "nada.md", "-y"), ("search", "x", "--document", "nada.md")):
        assert "[not_found]" in refusal(system.skillnet(*arguments), Exit.NOT_FOUND)


def test_a_wrong_key(system: System) -> None:
    environment = {"SKILLNET_URL": system.address, "SKILLNET_API_KEY": "sk_no"}
    assert "[unauthorized]" in refusal(run_skillnet("documents", environment=environment), Exit.UNAUTHORIZED)
    assert "SKILLNET_API_KEY" in refusal(
        run_skillnet("documents", environment={"SKILLNET_URL": system.address}), Exit.FAILED
    )


def test_a_gateway_that_is_not_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        environment = {"SKILLNET_URL": f"http://127.0.0.1:{unused.getsockname()[1]}", "SKILLNET_API_KEY": "sk_x"}
        done = run_skillnet("documents", "--json", environment=environment)
    assert json.loads(refusal(done, Exit.UNAVAILABLE))["error"]["code"] == "unavailable"


@pytest.mark.parametrize(
    "arguments",
    [
        ("ingest", str(EXAMPLES)),
        ("documents",),
        ("show", "x"),
        ("delete", "x"),
        ("search", "x"),
        ("ask", "x"),
        ("context", "x"),
        ("ground", "x"),
        ("me",),
        ("events", "tail"),
        ("status",),
    ],
    ids=" ".join,
)
def test_without_a_running_stack_every_command_says_what_to_do(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run_skillnet(*arguments, environment={"SKILLNET_HOME": str(tmp_path / "nada")})
    assert "Start one with: skillnet up" in refusal(done, Exit.UNAVAILABLE)


def test_doctor_without_a_running_stack(tmp_path: Path) -> None:
    assert "skillnet up" in text(run_skillnet("doctor", environment={"SKILLNET_HOME": str(tmp_path / "nada")}))


# -- up, for people


def test_up_tells_where_it_is_and_ctrl_c_drains_it() -> None:
    with temporary_folder("a mano", in_memory=True) as folder:
        data = folder / "datos"
        command = [SKILLNET, "up", "--data", str(data), "--scale", "retriever=0", "--scale", "embedder=0"]
        with subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True) as process:
            told = _announcement(process)
            state = running_stack(data)
            assert state is not None
            assert told["Address"] == state.address
            assert told["Data"] == str(data)
            with SkillnetClient(told["Address"], told["API key"]) as client:
                client.upload(EXAMPLES / "manual-del-personal.pdf")  # under way when the signal comes
            process.send_signal(signal.SIGINT)
            assert process.wait(STOP_SECONDS) == Exit.OK
        assert {one.name for one in state.processes} >= {"postgres", "nats", "gateway", "parser"}
        assert not any(psutil.pid_exists(one.pid or 0) for one in state.processes)
        assert running_stack(data) is None


def _announcement(process: subprocess.Popen[str]) -> dict[str, str]:
    """What `skillnet up` tells a person, up to the line that names Ctrl-C."""
    told: dict[str, str] = {}
    for line in process.stdout or ():
        if line.startswith("Ctrl-C"):
            break
        name, _, value = line.partition("   ")
        told[name] = value.strip()
    return told
