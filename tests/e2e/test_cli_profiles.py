"""A second organisation on the local stack, and commands that speak to it by its profile."""

from __future__ import annotations

import json
from pathlib import Path

from skillnet_cli.exits import Exit

from .system import System, run_skillnet


def test_a_second_organization_is_made_and_used_by_its_profile(system: System, tmp_path: Path) -> None:
    config = {"SKILLNET_CONFIG": str(tmp_path / "config.toml")}
    note = tmp_path / "nota.md"
    note.write_text("# Nota\n\nEl local abre a las nueve.\n")
    made = system.skillnet("organizations", "create", "La Otra", "--profile", "otra", "--json", environment=config)
    assert made.returncode == Exit.OK, made.stderr
    created = json.loads(made.stdout)
    with system.client(created["api_key"]) as client:
        assert (str(client.me().org_id), client.me().organization) == (created["org_id"], "La Otra")
    # Without SKILLNET_HOME: the profile knows the folder.
    ingested = run_skillnet("--org", "otra", "ingest", str(note), environment=config)
    assert (ingested.returncode, ingested.stdout) == (Exit.OK, "1 ready\n"), ingested.stderr
    assert "Reading: 1 of 1 live" in ingested.stderr
    shown = run_skillnet("documents", "--json", environment={**config, "SKILLNET_ORG": "otra"})
    assert [document["external_key"] for document in json.loads(shown.stdout)] == [str(note)]
    own = system.skillnet("show", str(note), environment=config)
    assert own.returncode == Exit.NOT_FOUND, "the first organisation does not have it"
    listed = run_skillnet("profiles", "list", environment=config)
    assert str(system.data) in listed.stdout
    assert created["api_key"] not in listed.stdout
