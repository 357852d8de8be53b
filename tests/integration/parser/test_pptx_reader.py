"""PPTX: a section a slide, with its lists, tables, charts and notes, each on its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Emu, Inches

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import ParseLimits

from .packages import data_of, with_part

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

TITLE, CONTENT, COMPARISON, TITLE_ONLY, BLANK = 0, 1, 4, 5, 6
SLIDE = "ppt/slides/slide1.xml"


@pytest.fixture
def show() -> Any:
    return pptx.Presentation()


def add(show: Any, layout: int, title: str = "") -> Any:
    slide = show.slides.add_slide(show.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def add_lines(frame: Any, *lines: tuple[int, str]) -> None:
    for number, (level, text) in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.level, paragraph.text = level, text


def add_box(shapes: Any, text: str, left: int = 1) -> Any:
    box = shapes.add_textbox(Inches(left), Inches(3), Inches(2), Inches(1))
    box.text_frame.text = text
    return box


def test_slides_are_sections_and_pages(parse: Parse, show: Any, headings: Outline) -> None:
    add(show, TITLE, "Manual de tienda").placeholders[1].text = "Edición de 2024"
    add(show, BLANK)
    add_box(add(show, BLANK).shapes, "Sin título")
    add(show, TITLE_ONLY, "Caja\ny cierre")
    document = parse(data_of(show), "a.pptx")
    assert headings(document) == [(1, "Manual de tienda"), (1, "Diapositiva 3"), (1, "Caja y cierre")]
    assert [(section.page_start, section.page_end) for section in document.sections[1:]] == [(1, 1), (3, 3), (4, 4)]
    assert (document.page_count, document.page_count_estimated, document.title) == (4, False, "Manual de tienda")
    assert document.file_type == "pptx"


def test_lists_with_depth(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    slide = add(show, CONTENT, "Pedidos")
    add_lines(slide.placeholders[1].text_frame, (0, "Pan"), (1, "de molde"), (0, "1. Leche"), (0, "Queso"))
    add_box(slide.shapes, "Una línea aparte")
    document = parse(data_of(show), "a.pptx")
    assert blocks_of(document, BlockKind.LIST) == ["- Pan\n  - de molde\n1. Leche\n- Queso"]
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Una línea aparte"]


def test_typed_bullets_make_a_list(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    add_box(add(show, TITLE_ONLY, "Uniforme").shapes, "Hay que traer:\n• delantal\n• gorro")
    document = parse(data_of(show), "a.pptx")
    assert blocks_of(document, BlockKind.LIST) == ["• delantal\n• gorro"]
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Hay que traer:"]


def test_numbered_items_count(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    frame = add_box(add(show, TITLE_ONLY, "Pasos").shapes, "").text_frame
    add_lines(frame, (0, "Abrir"), (1, "dentro"), (0, "Cerrar"))
    for paragraph in frame.paragraphs:
        properties = paragraph._p.get_or_add_pPr()
        properties.append(properties.makeelement(f"{{{properties.nsmap['a']}}}buAutoNum", {"type": "arabicPeriod"}))
    document = parse(data_of(show), "a.pptx")
    assert blocks_of(document, BlockKind.LIST) == ["1. Abrir\n  1. dentro\n2. Cerrar"]


def test_tables_with_merged_cells_once(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    slide = add(show, TITLE_ONLY, "Precios")
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(4), Inches(2)).table
    for row, cells in enumerate((("Pan", "Precio"), ("barra", "1,20 €"), ("", "junto"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    assert blocks_of(parse(data_of(show), "a.pptx"), BlockKind.TABLE) == [
        "| Pan | Precio |\n| --- | --- |\n| barra | 1,20 € |\n|  | junto |"
    ]


def test_charts_as_tables(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    data = CategoryChartData()
    data.categories = ["enero", "febrero"]
    data.add_series("Ventas", (10, 20.5))
    frame = add(show, TITLE_ONLY, "Año").shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data
    )
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Ventas por mes"
    document = parse(data_of(show), "a.pptx")
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Ventas por mes"]
    assert blocks_of(document, BlockKind.TABLE) == [
        "|  | Ventas |\n| --- | --- |\n| enero | 10 |\n| febrero | 20.5 |"
    ]


def test_values_of_charts_as_they_are_shown(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    data = CategoryChartData()
    data.categories = ["Norte", "Sur"]
    data.add_series("Cuota", (0.215, 0.3), number_format="0.0%")
    data.add_series("Toneladas", (0.1 + 0.2, 12))
    add(show, TITLE_ONLY, "Reparto").shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data
    )
    assert blocks_of(parse(data_of(show), "a.pptx"), BlockKind.TABLE) == [
        "|  | Cuota | Toneladas |\n| --- | --- | --- |\n| Norte | 21.5% | 0.3 |\n| Sur | 30.0% | 12 |"
    ]


def test_groups_within_groups_have_their_place(parse: Parse, show: Any) -> None:
    show.slide_width, show.slide_height = Inches(10), Inches(5)
    outer = add(show, TITLE_ONLY, "Grupo").shapes.add_group_shape()
    inner = outer.shapes.add_group_shape()
    add_box(inner.shapes, "dentro")
    outer.left, outer.width = Inches(5), Inches(4)  # twice as wide: what is inside grows
    document = parse(data_of(show), "a.pptx")
    (line,) = [line for line in document.lines if document.text[line.start : line.end] == "dentro"]
    assert (line.box.page, line.box.x0, line.box.x1) == (1, 0.5, 0.9)
    assert (line.box.y0, line.box.y1) == (0.6, 0.8)


def test_a_placeholder_stands_where_its_layout_says(parse: Parse, show: Any) -> None:
    add(show, CONTENT, "Arriba").placeholders[1].text = "Debajo"
    first, second = parse(data_of(show), "a.pptx").lines
    assert 0 < first.box.y0 < first.box.y1 < second.box.y0 < second.box.y1 < 1


def test_shapes_past_the_edge_stay_on_the_page(parse: Parse, show: Any) -> None:
    slide = add(show, BLANK)
    add_box(slide.shapes, "a medias").left = Emu(-900_000)
    add_box(slide.shapes, "fuera").left = Inches(50)
    boxes = [line.box for line in parse(data_of(show), "a.pptx").lines[1:]]
    assert boxes[0].x0 == 0
    assert boxes[0].x1 < 0.2
    assert (boxes[1].x0, boxes[1].x1) == (0, 1)


def place(shapes: Any, text: str, left: float, top: float, width: float = 4, height: float = 1) -> None:
    box = shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    box.text_frame.text = text


def test_boxes_are_read_by_their_place(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    shapes = add(show, BLANK).shapes
    shapes.add_shape(1, 0, 0, show.slide_width, show.slide_height)  # a background without text
    place(shapes, "derecha", 5, 1, height=2)
    place(shapes, "izquierda, algo más abajo", 0.5, 1.2, height=2)
    place(shapes, "título", 0.5, 0.2, width=8, height=0.9)
    place(shapes, "pie derecha", 5, 5.9)
    place(shapes, "pie izquierda", 0.5, 6)
    assert blocks_of(parse(data_of(show), "a.pptx"), BlockKind.PARAGRAPH) == [
        "título",
        "izquierda, algo más abajo",
        "derecha",
        "pie izquierda",
        "pie derecha",
    ]


def test_boxes_beside_a_tall_one_are_a_column(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    shapes = add(show, BLANK).shapes
    place(shapes, "alta", 5, 1, height=6)
    for number, top in ((3, 5), (1, 1), (2, 3)):
        place(shapes, f"paso {number}", 0.5, top)
    assert blocks_of(parse(data_of(show), "a.pptx"), BlockKind.PARAGRAPH) == ["paso 1", "paso 2", "paso 3", "alta"]


def test_placeholders_keep_their_order_and_boxes_find_their_place(parse: Parse, show: Any) -> None:
    slide = add(show, COMPARISON)
    place(slide.shapes, "debajo", 1, 7)
    place(slide.shapes, "arriba", 1, 0.1, height=0.2)
    for index, text in ((1, "A favor"), (2, "Rapidez"), (3, "En contra"), (4, "Coste")):
        slide.placeholders[index].text = text
    slide.shapes.title.text = "Balance"
    assert parse(data_of(show), "a.pptx").text.replace("- ", "").split("\n\n") == [
        "Balance",
        "arriba",
        "A favor",
        "Rapidez",
        "En contra",
        "Coste",
        "debajo",
    ]


def test_groups_are_read_one_after_the_other(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    shapes = add(show, BLANK).shapes
    for left, name in ((5, "dos"), (0.5, "uno")):
        group = shapes.add_group_shape()
        place(group.shapes, f"texto {name}", left, 3)
        place(group.shapes, f"cabeza {name}", left, 1)
    assert blocks_of(parse(data_of(show), "a.pptx"), BlockKind.PARAGRAPH) == [
        "cabeza uno",
        "texto uno",
        "cabeza dos",
        "texto dos",
    ]


def test_notes_follow_their_slide(parse: Parse, show: Any, blocks_of: BlocksOf) -> None:
    slide = add(show, TITLE_ONLY, "Caja")
    slide.notes_slide.notes_text_frame.text = "Contar dos veces.\nAvisar al encargado."
    add(show, TITLE_ONLY, "Cierre")
    document = parse(data_of(show), "a.pptx")
    assert blocks_of(document, BlockKind.NOTE) == ["Notas: Contar dos veces.", "Avisar al encargado."]
    assert document.text.split("\n\n")[0] == "Caja"
    assert document.text.split("\n\n")[-1] == "Cierre"


def test_what_is_hidden_is_left_out_and_told(parse: Parse, show: Any) -> None:
    slide = add(show, TITLE_ONLY, "Visible")
    add_box(slide.shapes, "forma oculta")._element.nvSpPr.cNvPr.set("hidden", "1")
    add(show, TITLE_ONLY, "Borrador")._element.set("show", "0")
    add(show, TITLE_ONLY, "Fin")
    document = parse(data_of(show), "a.pptx")
    assert document.text == "Visible\n\nFin"
    assert document.sections[-1].page_start == 3
    assert document.warnings == ("Hidden slides were left out: 2.",)
    assert [(removal.reason, removal.page, removal.text) for removal in document.removed] == [
        (RemovalReason.HIDDEN, 1, "forma oculta"),
        (RemovalReason.HIDDEN, 2, "Borrador"),
    ]


def test_footers_dates_and_numbers_are_no_text(parse: Parse, show: Any) -> None:
    slide = add(show, TITLE_ONLY, "Caja")
    for kind in ("ftr", "dt", "sldNum"):
        properties = add_box(slide.shapes, f"pie {kind}")._element.nvSpPr.nvPr
        properties.append(properties.makeelement(f"{{{properties.nsmap['p']}}}ph", {"type": kind}))
    document = parse(data_of(show), "a.pptx")
    assert document.text == "Caja"
    assert {removal.reason for removal in document.removed} == {RemovalReason.RUNNING_LINE}


def test_of_two_forms_of_a_shape_one_is_read(parse: Parse, show: Any) -> None:
    add_box(add(show, TITLE_ONLY, "Caja").shapes, "una vez")

    def double(xml: bytes) -> bytes:
        start = xml.rindex(b"<p:sp>")
        end = xml.rindex(b"</p:sp>") + len(b"</p:sp>")
        shape = xml[start:end]
        markup = b"http://schemas.openxmlformats.org/markup-compatibility/2006"
        alternative = (
            b'<mc:AlternateContent xmlns:mc="%s"><mc:Choice Requires="a14">%s</mc:Choice><mc:Fallback>%s'
            b"</mc:Fallback></mc:AlternateContent>" % (markup, shape, shape)
        )
        return xml[:start] + alternative + xml[end:]

    assert parse(with_part(data_of(show), SLIDE, double), "a.pptx").text == "Caja\n\nuna vez"


def test_a_strict_presentation(parse: Parse, show: Any) -> None:
    add(show, TITLE_ONLY, "Caja")

    def strict(data: bytes) -> bytes:
        for name in ("presentationml", "drawingml"):
            data = data.replace(
                f"http://schemas.openxmlformats.org/{name}/2006/main".encode(),
                f"http://purl.oclc.org/ooxml/{name}/main".encode(),
            )
        return data

    data = with_part(with_part(data_of(show), SLIDE, strict), "ppt/presentation.xml", strict)
    assert parse(data, "a.pptx").text == "Caja"


def test_a_missing_slide_is_told(parse: Parse, show: Any) -> None:
    for title in ("Uno", "Dos"):
        add(show, TITLE_ONLY, title)
    document = parse(with_part(data_of(show), SLIDE, lambda _xml: None), "a.pptx")
    assert (document.text, document.page_count) == ("Dos", 2)
    assert document.warnings == ("Slides that the file names but does not hold: 1.",)


@pytest.mark.parametrize(
    ("name", "change", "code"),
    [
        (SLIDE, lambda xml: xml[: len(xml) // 2], ErrorCode.CORRUPT_FILE),
        (SLIDE, lambda _xml: b"", ErrorCode.CORRUPT_FILE),
        (
            SLIDE,
            lambda xml: b'<!DOCTYPE x [<!ENTITY a "a">]>' + xml[xml.index(b"<p:sld") :],
            ErrorCode.UNSAFE_ARCHIVE,
        ),
        ("ppt/presentation.xml", lambda _xml: b"<x/>", ErrorCode.NO_PAGES),
    ],
)
def test_damaged_presentations(
    parse: Parse, show: Any, name: str, change: Callable[[bytes], bytes | None], code: ErrorCode
) -> None:
    add(show, TITLE_ONLY, "Caja")
    with pytest.raises(PermanentFault) as caught:
        parse(with_part(data_of(show), name, change), "a.pptx")
    assert caught.value.code is code


def test_nothing_and_too_much(parse: Parse, show: Any) -> None:
    with pytest.raises(PermanentFault) as caught:
        parse(data_of(show), "a.pptx")
    assert caught.value.code is ErrorCode.NO_PAGES
    add(show, BLANK)
    add(show, BLANK)
    with pytest.raises(PermanentFault) as caught:
        parse(data_of(show), "a.pptx")
    assert caught.value.code is ErrorCode.NOTHING_READABLE
    with pytest.raises(PermanentFault) as caught:
        parse(data_of(show), "a.pptx", ParseLimits(max_pages=1))
    assert caught.value.code is ErrorCode.TOO_MANY_PAGES


def test_slides_of_images_need_recognition(parse: Parse, shared_data: Path) -> None:
    (path,) = (shared_data / "text").rglob("pptx_multiple_images.pptx")
    with pytest.raises(PermanentFault) as caught:
        parse(path.read_bytes(), path.name)
    assert caught.value.code is ErrorCode.NEEDS_OCR


def test_a_real_presentation(parse: Parse, shared_data: Path, headings: Outline, blocks_of: BlocksOf) -> None:
    (path,) = (shared_data / "text").rglob("sample-presentation.pptx")
    document = parse(path.read_bytes(), path.name)
    assert [text for _, text in headings(document)][:2] == ["Title Slide", "This is the first content slide"]
    assert "  - With a sub-bullet\n  - And another one\n    - This one is a sub-sub-bullet" in document.text
    assert len(blocks_of(document, BlockKind.TABLE)) == 1
