"""Small files of every format, and ways in which they get damaged."""

from __future__ import annotations

import datetime
import io
import random
import re
import zipfile
from collections.abc import Callable, Mapping

import docx
import openpyxl
import pptx
import pymupdf
from lxml import etree

from .packages import data_of, with_part

_VALUES = ("-1", "0", "9" * 20, "9" * 5000, "x", "", "1.5", "²", "٣", "4294967295", "true", "XFD9999999", "#REF!")


def small_files() -> dict[str, bytes]:
    """A file of each format, by its suffix; a PDF twice, the second with compressed objects."""
    return {
        "docx": _word(),
        "pptx": _show(),
        "xlsx": _book(),
        "pdf": _pdf(deflate=False),
        "PDF": _pdf(deflate=True, garbage=3, use_objstms=1),
        "md": _MARKDOWN.encode(),
        "html": _HTML.encode(),
        "txt": _TEXT.encode(),
        "csv": b'a;b;c\n1;"2;3";4\nx;y;"z\n',
    }


_MARKDOWN = """---
title: x
---
# Uno #

texto **b** [c](d)

```
# c
```

| a | b |
|---|---|
| 1 | 2 |

- a
  1. b

<div><h2>h</h2></div>
> cita
"""
_HTML = (
    "<!DOCTYPE html><html><head><title>t</title><meta charset=utf-8></head><body><main><h1>Uno</h1><p>dos<p hidden>y"
    "<ul><li>a<li>b</ul><table><tr><th rowspan=2>a<th>b<tr><td>1</table><pre>x</pre></main><footer>z</body></html>"
)
_TEXT = "AVISO A TODOS\n\n1. Antes\n\ntexto corriente ñandú\n\n- a\n- b\n\nContactos\n=====\n\nfin\n"


def _word() -> bytes:
    word = docx.Document()
    word.add_heading("Manual", 0)
    word.add_heading("Plazos", 1)
    word.add_paragraph("Uno", style="List Number")
    word.add_paragraph("El plazo es de 30 días.").add_run(" No.").font.hidden = True
    table = word.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "a"
    return data_of(word)


def _show() -> bytes:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Caja"
    slide.placeholders[1].text = "uno\ndos"
    slide.notes_slide.notes_text_frame.text = "nota"
    slide.shapes.add_table(2, 2, 0, 0, 100_000, 100_000).table.cell(0, 0).text = "x"
    return data_of(show)


def _book() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Código", "Precio"], ["P-1", 1.5], [datetime.date(2024, 5, 3), "=1+2"]):
        sheet.append(row)
    sheet.merge_cells("A5:B5")
    sheet.row_dimensions[2].hidden = True
    return data_of(book)


def _pdf(**options: object) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Manual", fontsize=20)
    for row in range(4):
        page.insert_text((72, 100 + 14 * row), f"Linea {row} de texto corriente del manual.", fontsize=11)
        page.draw_line((72, 400 + 30 * row), (400, 400 + 30 * row))
        page.draw_line((72 + 100 * row, 400), (72 + 100 * row, 490))
    document.new_page().insert_text((72, 72), "2. Otro", fontsize=16)
    document.set_toc([[1, "Manual", 1], [1, "2. Otro", 2]])
    data: bytes = document.tobytes(**options)
    return data


def damage(dice: random.Random, data: bytes) -> bytes:
    """One fault of a file: flipped bits, a missing end, a piece lost, doubled or moved, a wrong number; in an
    Office package mostly of one part, whose XML may stay whole."""
    if data.startswith(b"PK") and dice.random() < 0.85:
        names = [name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if name.endswith((".xml", ".rels"))]
        telling = [name for name in names if "slideLayout" not in name and "theme" not in name]
        change = _damage_tree if dice.random() < 0.7 else _damage_bytes
        return with_part(data, dice.choice(telling), lambda part: change(dice, part))
    return _damage_bytes(dice, data)


def _damage_bytes(dice: random.Random, data: bytes) -> bytes:
    return dice.choice(_BYTE_FAULTS)(dice, bytearray(data)) if data else data


def _flip(dice: random.Random, data: bytearray) -> bytes:
    for _ in range(dice.choice((1, 3, 20))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def _cut(dice: random.Random, data: bytearray) -> bytes:
    return bytes(data[: dice.randrange(len(data))])


def _lose(dice: random.Random, data: bytearray) -> bytes:
    at = dice.randrange(len(data))
    del data[at : at + dice.randrange(1, 200)]
    return bytes(data)


def _double(dice: random.Random, data: bytearray) -> bytes:
    at, source = dice.randrange(len(data)), dice.randrange(len(data))
    data[at:at] = data[source : source + dice.randrange(1, 400)]
    return bytes(data)


def _misnumber(dice: random.Random, data: bytearray) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if numbers:
        number = dice.choice(numbers)
        data[number.start() : number.end()] = dice.choice(_VALUES).encode()
    return bytes(data)


_BYTE_FAULTS: tuple[Callable[[random.Random, bytearray], bytes], ...] = (_flip, _cut, _lose, _double, _misnumber)


def _damage_tree(dice: random.Random, data: bytes) -> bytes:
    """Well-formed XML that says nonsense."""
    root = etree.fromstring(data)
    elements = list(root.iter(etree.Element))
    for _ in range(dice.choice((1, 2, 4))):
        dice.choice(_TREE_FAULTS)(dice, dice.choice(elements), dice.choice(elements))
    whole: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return whole


def _set_attribute(dice: random.Random, element: etree._Element, _other: etree._Element) -> None:
    if element.attrib:
        element.set(dice.choice(list(element.attrib)), dice.choice(_VALUES))


def _drop_attribute(dice: random.Random, element: etree._Element, _other: etree._Element) -> None:
    if element.attrib:
        del element.attrib[dice.choice(list(element.attrib))]


def _drop_element(_dice: random.Random, element: etree._Element, _other: etree._Element) -> None:
    if element.getparent() is not None:
        element.getparent().remove(element)


def _nest_copy(_dice: random.Random, element: etree._Element, other: etree._Element) -> None:
    element.append(etree.fromstring(etree.tostring(other)))


def _rename(_dice: random.Random, element: etree._Element, other: etree._Element) -> None:
    element.tag = other.tag


def _set_text(dice: random.Random, element: etree._Element, _other: etree._Element) -> None:
    element.text = dice.choice(_VALUES)


_TREE_FAULTS: tuple[Callable[[random.Random, etree._Element, etree._Element], None], ...] = (
    _set_attribute,
    _drop_attribute,
    _drop_element,
    _nest_copy,
    _rename,
    _set_text,
)


def damaged(files: Mapping[str, bytes], suffix: str, number: int) -> bytes:
    """The file of this suffix with its fault of this number, always the same."""
    return damage(random.Random(f"{suffix} {number}"), files[suffix])  # noqa: S311 - faults, not secrets
