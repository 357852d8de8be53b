"""Tables that are set with white space alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument

BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]
Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]

RIGHTS = (110.0, 200.0, 290.0, 380.0)  # where the numbers of each column end
YEARS = (
    ("2019", "51.544", "37.481", "-"),
    ("2020", "52.071", "37.797", "14.275"),
    ("2021", "9.526", "38.091", "435"),
    ("2022", "52.875", "251", "14.625"),
)


def set_right(sheet: Any, cells: Sequence[str], *, font: str = "helv", size: float = 10) -> None:
    """A row whose cells end at the columns' right edges, as numbers do."""
    for edge, cell in zip(RIGHTS, cells, strict=True):
        width = pymupdf.get_text_length(cell, font, size)
        sheet.page.insert_text((edge - width, sheet.y), cell, fontsize=size, fontname=font)
    sheet.y += 1.3 * size


def set_left(sheet: Any, cells: Sequence[str], edges: Sequence[float], *, font: str = "helv") -> None:
    for edge, cell in zip(edges, cells, strict=True):
        if cell:
            sheet.page.insert_text((edge, sheet.y), cell, fontsize=10, fontname=font)
    sheet.y += 12


def test_numbers_under_each_other_are_a_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf, headings: Outline
) -> None:
    sheet.prose(lorem)
    sheet.y += 12
    set_right(sheet, ("Año", "Total", "Pública", "Privada"), font="hebo")
    for row in YEARS[:2]:
        set_right(sheet, row)
    sheet.page.insert_text((200, sheet.y), "Previsto", fontsize=10, fontname="hebo")
    sheet.y += 13
    for row in YEARS[2:]:
        set_right(sheet, row)
    sheet.prose(lorem)
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.TABLE) == [
        "| Año | Total | Pública | Privada |\n| --- | --- | --- | --- |\n"
        "| 2019 | 51.544 | 37.481 | - |\n| 2020 | 52.071 | 37.797 | 14.275 |\n"
        "| Previsto |  |  |  |\n| 2021 | 9.526 | 38.091 | 435 |\n| 2022 | 52.875 | 251 | 14.625 |"
    ]
    assert headings(document) == []
    assert blocks_of(document, BlockKind.PARAGRAPH) == [lorem, lorem]


def test_every_row_keeps_its_place(parse: Parse, sheet: Any) -> None:
    for row in YEARS:
        set_right(sheet, row)
    document = parse(sheet.data(), "a.pdf")
    boxes = [line.box for line in document.lines]
    assert len(boxes) == len(YEARS)
    assert all(above.y1 <= below.y0 + 0.01 for above, below in pairwise(boxes))
    assert (boxes[0].x0, boxes[0].x1) == pytest.approx((0.15, 0.64), abs=0.02)


def test_wrapped_cells_belong_to_the_row_above(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    edges = (72, 220, 300)
    sheet.prose(lorem)
    sheet.y += 14
    set_left(sheet, ("Perfil", "Nivel", "Lo que necesita"), edges, font="hebo")
    for profile, level, first, second in (
        ("Personal de oficina", "medio", "Atajos y plantillas para el tra-", "bajo de cada día"),
        ("Personal de planta", "bajo", "Un manual impreso en la", "pared del taller"),
        ("Dirección", "medio", "Resúmenes de una página y", "tableros con cifras"),
    ):
        sheet.y += 5
        set_left(sheet, (profile, level, first), edges)
        set_left(sheet, ("", "", second), edges)
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE) == [
        "| Perfil | Nivel | Lo que necesita |\n| --- | --- | --- |\n"
        "| Personal de oficina | medio | Atajos y plantillas para el trabajo de cada día |\n"
        "| Personal de planta | bajo | Un manual impreso en la pared del taller |\n"
        "| Dirección | medio | Resúmenes de una página y tableros con cifras |"
    ]


def test_a_head_over_several_columns_stands_in_each_of_them(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    edges = (72, 150, 220, 290, 360)
    for x, group in ((175, "Pública"), (315, "Privada")):
        sheet.page.insert_text((x, sheet.y), group, fontsize=10)
    sheet.y += 12
    set_left(sheet, ("Centro", "Plazas", "Altas", "Plazas", "Altas"), edges)
    for name, number in (("Norte", "120"), ("Sur", "98"), ("Oeste", "101")):
        set_left(sheet, (name, number, "12", number, "7"), edges)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n")[0] == "| Centro | Pública Plazas | Pública Altas | Privada Plazas | Privada Altas |"


def test_two_columns_are_a_table_where_one_is_of_values(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    for concept, fee in (
        ("Inscripción", "25,00 EUR"),
        ("Duplicado del carné", "6,50 EUR"),
        ("Copia compulsada", "3,20 EUR"),
        ("Certificado", "1,00 EUR"),
    ):
        set_left(sheet, (concept, fee), (72, 300))
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.startswith(
        "|  |  |\n| --- | --- |\n| Inscripción | 25,00 EUR |\n| Duplicado del carné | 6,50 EUR |\n"
    )


def test_years_name_the_columns_above_titles_of_rows(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    set_right(sheet, ("Partida", "2021", "2022", "2023"))
    for title in ("Gastos:", "Programas con dotación propia:"):
        sheet.line(title, size=10)
    for row in (("Defensa", "1.300", "1.319", "1.265"), ("Empleo", "725", "773", "820"), ("Deuda", "9", "-", "14")):
        set_right(sheet, row)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.startswith("| Partida | 2021 | 2022 | 2023 |\n| --- | --- | --- | --- |\n| Gastos: |  |")


def test_prose_in_three_columns_is_no_table(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    for x in (72, 230, 388):
        sheet.y = 90
        for _ in range(4):
            sheet.prose(lorem, size=8, x=x, width=140, gap=0)
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.TABLE) == []
    assert document.text.count(lorem) == 12


def test_numbered_items_with_wide_gaps_are_no_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    for number in range(1, 6):
        set_left(sheet, (f"{number}.", "Comprobar los pedidos de la mañana."), (72, 110))
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE) == []


def test_contents_without_dots_are_no_table(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    sheet.line("Índice", size=14, font="hebo")
    for number, (title, page) in enumerate((("Objeto", "2"), ("Plazos", "3"), ("Tasas", "4"), ("Recursos", "5")), 1):
        set_left(sheet, (f"{number}", title, page), (72, 110, 500))
    sheet.turn()
    sheet.prose(lorem)
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.TABLE) == []
    assert len(blocks_of(document, BlockKind.CONTENTS)) == 1


def test_a_bold_head_of_two_lines_is_one_row(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    edges = (72, 150, 260, 370)
    set_left(sheet, ("Controles", "Tasa máxima", "Cobertura", "Total"), edges, font="hebo")
    set_left(sheet, ("revisados", "de fallos", "media", ""), edges, font="hebo")
    for number in ("16", "24", "31"):
        sheet.y += 4
        set_left(sheet, (number, "27,70 %", "52,35 %", "719.084"), edges)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n")[0] == "| Controles revisados | Tasa máxima de fallos | Cobertura media | Total |"


def test_the_head_stands_above_a_title_of_the_first_rows(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    set_right(sheet, ("Curso", "Total", "Pública", "Privada"))
    sheet.page.insert_text((180, sheet.y), "Datos reales", fontsize=10)
    sheet.y += 13
    for row in YEARS:
        set_right(sheet, row)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.startswith("| Curso | Total | Pública | Privada |\n| --- | --- | --- | --- |\n| Datos reales |  |")


def test_columns_set_with_spaces_are_columns(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    for row in (
        ("Curso", "Altas", "Bajas"),
        ("2019", "51.544", "481"),
        ("2020", "7", "79"),
        ("2021", "53.526", "902"),
    ):
        sheet.line("      ".join(cell.center(8) for cell in row))
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n")[::2] == [
        "| Curso | Altas | Bajas |",
        "| 2019 | 51.544 | 481 |",
        "| 2021 | 53.526 | 902 |",
    ]


def test_a_heading_parts_two_tables_with_the_same_columns(
    parse: Parse, sheet: Any, blocks_of: BlocksOf, headings: Outline
) -> None:
    for title in ("3.1 Sector educativo", "3.2 Sector público"):
        sheet.line(title, size=12, font="hebo", gap=12)
        set_left(sheet, ("Perfil", "Nivel", "Rasgos"), (72, 220, 300), font="hebo")
        for profile in ("Alumnado", "Docentes", "Familias"):
            sheet.y += 5
            set_left(sheet, (profile, "medio", "Lee poco y deprisa"), (72, 220, 300))
    document = parse(sheet.data(), "a.pdf")
    assert [title for _, title in headings(document)] == ["3.1 Sector educativo", "3.2 Sector público"]
    assert len(blocks_of(document, BlockKind.TABLE)) == 2


def test_the_second_line_of_a_head_may_be_of_one_cell(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    set_left(sheet, ("Perfil", "Nivel", "Rasgos"), (72, 220, 300), font="hebo")
    set_left(sheet, ("", "TIC", ""), (72, 220, 300), font="hebo")
    for profile in ("Alumnado", "Docentes", "Familias"):
        sheet.y += 5
        set_left(sheet, (profile, "medio", "Lee poco y deprisa"), (72, 220, 300))
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.startswith("| Perfil | Nivel TIC | Rasgos |\n")


def test_close_rows_of_values_stay_apart(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    set_right(sheet, ("Año", "Total", "Alta", "Baja"), font="hebo")
    for first, second in (("2019", "2020"), ("2021", "2022"), ("2023", "2024")):
        sheet.y += 6
        set_right(sheet, (first, "10", "7", "3"))
        set_right(sheet, (second, "12", "8", "4"))
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert len(table.split("\n")) == 8


def test_a_row_may_go_on_in_every_cell(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    edges = (72, 220, 300)
    set_left(sheet, ("Perfil", "Nivel", "Rasgos"), edges, font="hebo")
    for row in (
        ("Alumnado", "bajo", "Lee deprisa"),
        ("Docentes", "medio", "Lee despacio"),
        ("Familias", "alto", "Ojea"),
    ):
        sheet.y += 5
        set_left(sheet, row, edges)
    sheet.y += 5
    set_left(sheet, ("Personal de", "bajo o", "Lee carteles y"), edges)
    set_left(sheet, ("planta", "medio", "manuales impresos"), edges)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.endswith("| Personal de planta | bajo o medio | Lee carteles y manuales impresos |")


def test_a_timetable_with_empty_cells_keeps_the_days(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    rows = (
        ("Hora", "Lunes", "Martes", "Miércoles"),
        ("9:00", "Recepción", "Caja", "Almacén"),
        ("10:00", "", "Caja", ""),
        ("11:00", "Inventario", "", "Reposición"),
        ("12:00", "", "", "Pedidos"),
    )
    for at, row in enumerate(rows):
        for x, cell in zip((72, 150, 250, 350), row, strict=True):
            sheet.page.insert_text((x, 100 + 18 * at), cell, fontsize=10)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n")[2:] == [
        "| 9:00 | Recepción | Caja | Almacén |",
        "| 10:00 |  | Caja |  |",
        "| 11:00 | Inventario |  | Reposición |",
        "| 12:00 |  |  | Pedidos |",
    ]


def test_figures_set_flush_right_keep_their_months(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    rows = (
        ("Concepto", "Enero", "Febrero", "Marzo"),
        ("Harina", "1.200", "", "980"),
        ("Azúcar", "", "75", "80"),
        ("Sal", "5", "6", ""),
        ("Levadura", "", "", "12"),
    )
    for at, row in enumerate(rows):
        for x, cell in zip((72, 260, 340, 420), row, strict=True):
            shift = 0 if x == 72 else pymupdf.get_text_length(cell, "helv", 10)
            sheet.page.insert_text((x - shift, 100 + 18 * at), cell, fontsize=10)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n")[2:] == [
        "| Harina | 1.200 |  | 980 |",
        "| Azúcar |  | 75 | 80 |",
        "| Sal | 5 | 6 |  |",
        "| Levadura |  |  | 12 |",
    ]


@pytest.mark.parametrize("edge", [300, 520])
@pytest.mark.parametrize(
    "rows",
    [
        (("Concepto", "Importe"), ("Cuota mensual", "45,00 EUR"), ("Matrícula", "120,00 EUR")),
        (("Tasa", "Importe"), ("Alta", "12,00 euros"), ("Copia", "3,20 euros"), ("Certificado", "1,00 euros")),
        (("Servicio", "Precio"), ("Mantenimiento", "45,00 EUR/mes"), ("Licencia", "120,00 EUR/hora")),
        (("Permiso", "Duración"), ("Matrimonio", "15 días"), ("Mudanza", "1 día"), ("Lactancia", "2 horas")),
        (("Día", "Horario"), ("Lunes", "9:00 a 14:00"), ("Martes", "9:00 a 14:00"), ("Sábado", "cerrado")),
    ],
)
def test_a_head_over_names_and_amounts_is_the_head_of_a_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf, rows: Sequence[tuple[str, str]], edge: float
) -> None:
    sheet.prose(lorem)
    sheet.y += 12
    for name, amount in rows:
        width = pymupdf.get_text_length(amount, "helv", 10)
        set_left(sheet, (name, amount), (72, edge - width))
    sheet.prose(lorem)
    document = parse(sheet.data(), "a.pdf")
    lines = [f"| {name} | {amount} |" for name, amount in rows]
    assert blocks_of(document, BlockKind.TABLE) == ["\n".join([lines[0], "| --- | --- |", *lines[1:]])]
    assert blocks_of(document, BlockKind.PARAGRAPH) == [lorem, lorem]


def test_three_labels_before_their_values_are_no_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    for label, value in (("Número:", "12/2026"), ("Fecha:", "12/11/2026"), ("Importe:", "45,00 EUR")):
        set_left(sheet, (label, value), (72, 200))
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE) == []


def test_three_titles_before_their_pages_are_no_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    for title, page in (("Objeto del reglamento", "2"), ("Plazos", "3"), ("Tasas", "4")):
        set_left(sheet, (title, page), (72, 500))
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE) == []
