"""The rows and cells of a Word table as they stand after all changes are accepted."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from skillnet_parser.formats.docx_package import W
from skillnet_parser.formats.ooxml import read_number

TRANSPARENT = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body", "txbxContent")
)
"""Elements that only hold others: paragraphs, tables, rows or cells."""
_MAX_COLUMNS = 100  # that one cell spans


def rows_of(table: etree._Element) -> Iterator[etree._Element]:
    """The rows of a `w:tbl` that are not deleted."""
    for child in table.iterchildren(tag=etree.Element):
        if child.tag == f"{W}tr":
            if child.find(f"{W}trPr/{W}del") is None:
                yield child
        elif child.tag in TRANSPARENT:
            yield from rows_of(child)


def cells_of(row: etree._Element) -> Iterator[etree._Element]:
    """The cells of a `w:tr`."""
    for child in row.iterchildren(tag=etree.Element):
        if child.tag == f"{W}tc":
            yield child
        elif child.tag in TRANSPARENT:
            yield from cells_of(child)


def columns_before(row: etree._Element) -> int:
    """The columns that a row leaves out at its beginning."""
    return _columns(row.find(f"{W}trPr/{W}gridBefore"), 0)


def columns_of(cell: etree._Element) -> int:
    """The columns that a cell spans."""
    return _columns(cell.find(f"{W}tcPr/{W}gridSpan"), 1)


def goes_on(cell: etree._Element) -> bool:
    """Whether the cell is the lower part of a merged one."""
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and merge.get(f"{W}val", "continue") == "continue"


def is_in_table(paragraph: etree._Element) -> bool:
    """Whether any table is around the paragraph."""
    return next(paragraph.iterancestors(f"{W}tbl"), None) is not None


def _columns(element: etree._Element | None, default: int) -> int:
    return min(read_number(element.get(f"{W}val"), default), _MAX_COLUMNS) if element is not None else default
