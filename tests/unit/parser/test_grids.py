"""Grids of cells: where a table begins and ends, and what stands around it."""

from __future__ import annotations

from skillnet_parser.domain.grids import read_grid
from skillnet_parser.domain.separated import find_delimiter, is_separated


def read(*rows: list[str]) -> list[tuple[str, str]]:
    """Kind and text of each block."""
    return [
        (str(block.kind), "".join(piece.joint + piece.text for piece in block.pieces).strip())
        for block in read_grid(rows)
    ]


def test_the_first_row_is_the_header() -> None:
    assert read(["Día", "Hora"], ["lunes", "7:00"]) == [("table", "| Día | Hora |\n| --- | --- |\n| lunes | 7:00 |")]


def test_lines_above_a_table_are_paragraphs() -> None:
    blocks = read(["Horario"], ["Tienda centro", ""], ["Día", "Hora"], ["lunes", "7:00"])
    assert blocks[:2] == [("paragraph", "Horario"), ("paragraph", "Tienda centro")]
    assert blocks[2][1].startswith("| Día | Hora |")


def test_an_empty_row_parts_tables_with_headers() -> None:
    blocks = read(["Día", "Hora"], ["lunes", "7"], [], ["Pan", "Precio"], ["barra", "1.10"])
    assert [text.split("\n")[0] for _, text in blocks] == ["| Día | Hora |", "| Pan | Precio |"]


def test_an_empty_row_within_a_table_does_not_part_it() -> None:
    ((_, text),) = read(["Pan", "Precio"], ["barra", "1.10"], [], ["hogaza", "2.50"])
    assert text.endswith("| barra | 1.10 |\n| hogaza | 2.50 |")


def test_tables_side_by_side() -> None:
    blocks = read(["A", "B", "", "C", "D"], ["1", "2", "", "3", "4"])
    assert [text.split("\n")[-1] for _, text in blocks] == ["| 1 | 2 |", "| 3 | 4 |"]


def test_an_empty_column_is_left_out_where_it_parts_no_tables() -> None:
    assert read(["A", "", "B"], ["1", "", "2"]) == [("table", "| A | B |\n| --- | --- |\n| 1 | 2 |")]


def test_values_past_empty_columns_belong_to_the_table() -> None:
    """Long descriptions run over the empty cells beside them."""
    assert read(["Ref", "Texto", "", "", "Precio"], ["a", "b", "", "", "1,20"]) == [
        ("table", "| Ref | Texto | Precio |\n| --- | --- | --- |\n| a | b | 1,20 |")
    ]


def test_one_column_is_text() -> None:
    assert read(["Uno"], ["Dos"], [], ["Tres"]) == [("paragraph", "Uno\nDos"), ("paragraph", "Tres")]


def test_nothing() -> None:
    assert read([], ["", " "]) == []


def test_the_delimiter_that_gives_rows_of_one_width() -> None:
    assert find_delimiter("a;b\n1,5;2\n2,25;3\n") == ";"
    assert find_delimiter("a,b\n1.5,2\n") == ","
    assert find_delimiter("a\tb, c\n1\t2\n") == "\t"
    assert find_delimiter('a,b\n"x;y\nz",1\n') == ","
    assert find_delimiter("Uno\nDos\n") is None


def test_prose_is_no_table() -> None:
    sentence = (
        "Cuando llega el pedido, la persona encargada lo revisa, lo cuenta y lo guarda en el almacén de secos\n"
    )
    assert not is_separated(sentence * 8)
    assert is_separated("a,b,c\n" * 8)
