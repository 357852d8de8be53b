"""What commands say of an id that is none."""

from __future__ import annotations

import pytest

from skillnet_cli.exits import Exit

from .answering import example, run


@pytest.mark.parametrize(
    ("command", "kind", "shown_by"),
    [
        ("dlq show 1", "work", "skillnet dlq list"),
        ("dlq replay 1", "work", "skillnet dlq list"),
        ("keys revoke 1", "a key", "skillnet keys list"),
    ],
)
def test_a_number_is_said_to_be_no_id_and_where_the_ids_are(
    monkeypatch: pytest.MonkeyPatch, command: str, kind: str, shown_by: str
) -> None:
    done = run(monkeypatch, example, *command.split())
    said = " ".join(done.output.replace("\u2502", " ").split())
    assert done.exit_code == Exit.USAGE
    assert f"'1' is no id of {kind}" in said
    assert shown_by in said
    assert "UUID" not in said
