"""Tables as Markdown."""

from __future__ import annotations

import pytest

from skillnet_parser.domain.tables import is_plausible, render_rows, render_table


def test_rows_are_padded_escaped_and_put_on_one_line() -> None:
    assert render_table([["A", "B"], ["uno\ndos", "x|y"], ["sola"], ["", ""]]) == (
        "| A | B |\n| --- | --- |\n| uno dos | x\\|y |\n| sola |  |"
    )


def test_a_table_without_text_is_nothing() -> None:
    assert render_rows([["", " "], []]) == []


@pytest.mark.parametrize(
    ("rows", "plausible"),
    [
        ([["a", "b"], ["c", "d"]], True),
        ([["a", "b"], ["c", ""]], True),
        ([["un párrafo entero"]], False),
        ([["a"], ["b"]], False),
        ([["a", "b"]], False),
        ([["a", "", "", ""], ["", "b", "", ""], ["", "", "c", ""], ["", "", "", "d"]], False),
    ],
)
def test_what_counts_as_a_table(rows: list[list[str]], plausible: bool) -> None:
    assert is_plausible(rows) is plausible
