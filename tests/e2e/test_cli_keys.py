"""`skillnet keys`, `organization`, `usage` and a streamed `ask` beside a running stack."""

from __future__ import annotations

import json
import time
from pathlib import Path
from uuid import uuid4

import pytest

from skillnet_cli.exits import Exit
from skillnet_client import SkillnetApiError

from .system import System, run_skillnet

FORGOTTEN_SECONDS = 6
"""A verified key is remembered for five."""


def test_a_key_is_created_listed_and_revoked(system: System) -> None:
    made = system.skillnet(
        "keys",
        "create",
        "lectora",
        "--scope",
        "documents:read",
        "--audience",
        "cajas",
        "--expires-days",
        "2",
        "--json",
    )
    assert made.returncode == Exit.OK, made.stderr
    key, key_id = json.loads(made.stdout)["api_key"], json.loads(made.stdout)["key_id"]
    with system.client(key) as client:
        me = client.me()
        assert (me.org_id, me.scopes, me.audience) == (system.organization, ["documents:read"], ["cajas"])
        listed = system.skillnet("keys", "list", "--json")
        assert key not in listed.stdout
        entry = {one["key_id"]: one for one in json.loads(listed.stdout)}[key_id]
        assert (entry["name"], entry["revoked_at"]) == ("lectora", None)
        assert entry["expires_at"]
        assert system.skillnet("keys", "revoke", key_id).stdout == f"Revoked {key_id}.\n"
        time.sleep(FORGOTTEN_SECONDS)
        with pytest.raises(SkillnetApiError) as caught:
            client.me()
        assert caught.value.code == "unauthorized"
    (line,) = [line for line in system.skillnet("keys", "list").stdout.splitlines() if key_id in line]
    assert "revoked" in line


def test_a_key_for_people_is_read_only_unless_told(system: System) -> None:
    key = system.skillnet("keys", "create", "sola").stdout.split()[0]
    with system.client(key) as client:
        assert (client.me().scopes, client.me().audience) == (["documents:read"], None)
        with pytest.raises(SkillnetApiError) as caught:
            client.organization()
        assert caught.value.code == "forbidden"


def test_keys_are_kept_on_a_gateway_elsewhere_too(system: System) -> None:
    elsewhere = {"SKILLNET_URL": system.address, "SKILLNET_API_KEY": system.api_key}
    made = run_skillnet("keys", "create", "lejana", "--scope", "admin", "--audience", "x", environment=elsewhere)
    limited = {**elsewhere, "SKILLNET_API_KEY": made.stdout.split()[0]}
    widened = run_skillnet("keys", "create", "más", environment=limited)
    assert (widened.returncode, "forbidden" in widened.stderr) == (Exit.UNAUTHORIZED, True)
    (own,) = json.loads(run_skillnet("keys", "list", "--json", environment=limited).stdout)
    assert own["name"] == "lejana"
    assert "lejana" in run_skillnet("keys", "show", own["key_id"], environment=elsewhere).stdout
    assert run_skillnet("keys", "revoke", own["key_id"], environment=elsewhere).returncode == Exit.OK


def test_the_last_administrators_key_is_kept(system: System) -> None:
    with system.client() as client:
        own, listed = client.me().key_id, client.keys()
        for key in listed:
            if "admin" in key.scopes and key.key_id != own:
                client.revoke_key(key.key_id)
    refused = system.skillnet("keys", "revoke", str(own), "--json")
    assert refused.returncode == Exit.FAILED
    assert json.loads(refused.stderr)["error"]["code"] == "last_admin_key"


def test_the_prompts_template(system: System, tmp_path: Path) -> None:
    file = tmp_path / "plantilla.txt"
    file.write_text("Trata de usted.\n{context}\n[Pregunta]: {question}", encoding="utf-8")
    assert "{context}" in system.skillnet("organization", "prompt", "show").stdout
    done = system.skillnet("organization", "prompt", "set", str(file))
    assert (done.returncode, "this template" in done.stdout) == (Exit.OK, True), done.stderr
    assert system.skillnet("organization", "prompt", "show").stdout == file.read_text(encoding="utf-8") + "\n"
    file.write_text("{context}{pregunta}", encoding="utf-8")
    refused = system.skillnet("organization", "prompt", "set", str(file))
    assert (refused.returncode, "{question}" in refused.stderr) == (Exit.USAGE, True)
    file.write_bytes(b"\xff")
    assert system.skillnet("organization", "prompt", "set", str(file)).returncode == Exit.USAGE
    assert json.loads(system.skillnet("organization", "prompt", "reset", "--json").stdout)["is_default"] is True
    assert "Trata de usted" in system.skillnet("organization", "prompt", "history").stdout


def test_usage_tells_of_questions_and_documents(system: System, tmp_path: Path) -> None:
    file = tmp_path / "gastos.md"
    file.write_text("# Gastos\n\nLas dietas se abonan el día 5 de cada mes.", encoding="utf-8")
    assert system.skillnet("ingest", str(file)).returncode == Exit.OK
    streamed = system.skillnet("ask", "¿Qué día se abonan las dietas?", "--document", str(file), "--stream")
    assert "día 5 de cada mes. [Fuente 1]" in streamed.stdout, streamed.stderr
    assert "Gastos" in streamed.stdout.splitlines()[1]
    deadline = time.monotonic() + 20
    while "ask" not in (found := _totals(system)) and time.monotonic() < deadline:
        time.sleep(0.5)
    wanted = {"ask", "documents_uploaded", "bytes_uploaded", "pages_parsed", "embedding_tokens"}
    assert wanted <= found.keys()
    assert "Stored now" in system.skillnet("usage", "--from", "2020-01-01", "--to", "2020-01-02").stdout
    assert system.skillnet("usage", "--from", "ayer").returncode == Exit.USAGE


def _totals(system: System) -> dict[str, int]:
    usage = json.loads(system.skillnet("usage", "--json").stdout)
    return {total["kind"]: total["amount"] for total in usage["totals"]}


def test_refusals(system: System, tmp_path: Path) -> None:
    unknown = system.skillnet("keys", "revoke", str(uuid4()))
    assert (unknown.returncode, "not_found" in unknown.stderr) == (Exit.NOT_FOUND, True)
    for arguments in (("revoke", "x"), ("create", "x", "--scope", "all"), ("create", "x", "--expires-days", "0")):
        assert system.skillnet("keys", *arguments).returncode == Exit.USAGE, arguments
    for command in ("keys list", "organization"):
        done = run_skillnet(*command.split(), environment={"SKILLNET_HOME": str(tmp_path / "nada")})
        assert (done.returncode, "skillnet up" in done.stderr) == (Exit.UNAVAILABLE, True)


def test_consent_is_given_and_withdrawn(system: System) -> None:
    for option, consent in (("--llm-consent", True), ("--no-llm-consent", False)):
        done = system.skillnet("organization", option, "--json")
        assert done.returncode == Exit.OK, done.stderr
        assert json.loads(done.stdout)["llm_consent"] is consent
        with system.client() as client:
            assert client.me().llm_consent is consent
    done = system.skillnet("organization", "--embedding-consent", "--rerank-consent", "--json")
    assert json.loads(done.stdout)["consents"] == {"llm": False, "embedding": True, "rerank": True}
    done = system.skillnet("organization", "--no-embedding-consent", "--no-rerank-consent")
    assert [line.split()[-1] for line in done.stdout.splitlines() if "text may go" in line] == ["no"] * 3
    before = json.loads(system.skillnet("organization", "--json").stdout)["name"]
    assert "La Espiga" in system.skillnet("organization", "--name", "La Espiga").stdout
    assert json.loads(system.skillnet("organization", "--name", before, "--json").stdout)["name"] == before
    assert system.skillnet("organization", "--name", " ").returncode == Exit.USAGE
