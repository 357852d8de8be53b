"""Tables on terminals of any width."""

from __future__ import annotations

import pytest
from rich.console import Console

from skillnet_cli import output

COLUMNS = ("Name", "Scopes", "Audience", "Id")
ROWS = [("first", "documents:read, documents:write", None, "0a1b"), ("second [x]", "admin", "ventas", "2c3d")]


def printed(monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    console = Console(width=width, highlight=False)
    monkeypatch.setattr(output, "console", console)
    with console.capture() as capture:
        output.print_table(COLUMNS, ROWS)
    return capture.get()


def test_a_table_that_fits_has_a_line_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, 80).splitlines()
    assert [line.split()[0] for line in lines] == ["Name", "first", "second"]
    assert "second [x]" in lines[2]


def test_a_table_that_does_not_is_written_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, 45)
    assert "documents:read, documents:write" in text
    assert [line.split()[0] for line in text.splitlines() if line.strip()] == [
        *("Name", "Scopes", "Id"),  # what is empty is left out
        *("Name", "Scopes", "Audience", "Id"),
    ]
