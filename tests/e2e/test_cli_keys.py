"""`skillnet keys` and `skillnet organization` beside a running stack."""

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
    before = json.loads(system.skillnet("organization", "--json").stdout)["name"]
    assert "La Espiga" in system.skillnet("organization", "--name", "La Espiga").stdout
    assert json.loads(system.skillnet("organization", "--name", before, "--json").stdout)["name"] == before
    assert system.skillnet("organization", "--name", " ").returncode == Exit.USAGE
