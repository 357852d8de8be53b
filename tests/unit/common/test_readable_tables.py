"""How rows of tables are said to the embedding model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.documents.chunk import model_text
from skillnet_common.documents.readable_tables import readable_row, with_readable_rows

TABLE = "| Producto | Precio |\n| --- | --- |\n| Pan | 1,20 |\n| Bollo |  |"


def test_rows_name_their_columns_but_the_first_and_the_header_is_gone() -> None:
    assert with_readable_rows(TABLE) == "Pan. Precio: 1,20\nBollo"


def test_what_stands_around_a_table_stays() -> None:
    text = f"Tarifas de hoy:\n\n{TABLE}\n\nSin IVA."
    assert with_readable_rows(text) == "Tarifas de hoy:\n\nPan. Precio: 1,20\nBollo\n\nSin IVA."


def test_several_tables_have_their_own_columns() -> None:
    text = f"{TABLE}\n\n| Día | Hora |\n|:---|---:|\n| Lunes | 8 |"
    assert with_readable_rows(text).endswith("Bollo\n\nLunes. Hora: 8")


def test_a_column_without_a_name_gives_its_value_alone() -> None:
    assert with_readable_rows("| Pan |  | Peso |\n| --- | --- | --- |\n|  | 2 | 3 |") == "2; Peso: 3"


def test_an_escaped_bar_belongs_to_its_cell() -> None:
    assert with_readable_rows("| a\\|b | c |\n| --- | --- |\n| 1\\|2 | 3 |") == "1|2. c: 3"


@pytest.mark.parametrize(
    "text",
    [
        "Sin tabla.",
        "| Producto | Precio |",
        "| Producto | Precio |\n| --- | --- |",
        "| Producto | Precio |\n| --- |\n| Pan | 1 |",
        "| Producto | Precio |\n| --- | --- |\n|  |  |",
        "a | b\n--- | ---\n1 | 2",
        "",
    ],
)
def test_what_is_no_table_with_rows_stays(text: str) -> None:
    assert with_readable_rows(text) == text


def test_a_part_of_a_row_stays_below_the_header_since_its_columns_are_not_known() -> None:
    head = "| Producto | Precio |\n| --- | --- |\n| una celda cortada\n"
    assert with_readable_rows(f"{head}| Pan | 1 |") == f"{head}Pan. Precio: 1"
    assert readable_row("| Producto | Precio |", "celda | 3 |") is None


def test_only_what_the_model_reads_is_changed() -> None:
    assert model_text("Tarifas", TABLE) == f"Tarifas\n\n{with_readable_rows(TABLE)}"
    assert model_text("", TABLE) == with_readable_rows(TABLE)


@given(st.lists(st.lists(st.text("ab|\\ \t1", max_size=6), min_size=1, max_size=4), max_size=5), st.booleans())
def test_no_value_is_lost(rows: list[list[str]], ruled: bool) -> None:
    lines = [f"| {' | '.join(cell.replace('|', '') for cell in row)} |" for row in rows]
    if ruled and rows:
        lines.insert(1, "|" + " --- |" * len(rows[0]))
    said = with_readable_rows("\n".join(lines))
    for row in rows[1:]:
        for cell in row:
            assert all(word in said for word in cell.replace("|", "").replace("\\", " ").split())
