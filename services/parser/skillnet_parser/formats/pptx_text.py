"""The text of shapes, tables, charts and diagrams on slides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from lxml import etree

from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.number_formats import show_value
from skillnet_parser.formats.ooxml import read_number
from skillnet_parser.formats.pptx_package import A

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_INDENT = "  "
_MAX_DEPTH = 8
_NODES = ("", "node", "norm", "asst")  # of a diagram, with text of their own; others only lead to them


@dataclass(frozen=True, slots=True)
class TextLine:
    """A paragraph. `marker` is "" where it is no item of a list, whose depth counts from 0."""

    text: str
    marker: str = ""
    depth: int = 0

    def as_item(self) -> str:
        """With its marker, where its author did not type one, and indentation."""
        marker = "" if starts_item(self.text) else self.marker
        return f"{_INDENT * self.depth}{marker}{self.text}"


def read_lines(body: etree._Element, *, bulleted: bool) -> list[TextLine]:
    """The paragraphs of a text body that have text. `bulleted`: whether they are items of a list where they do
    not say otherwise, as in the placeholder of a slide's content."""
    lines: list[TextLine] = []
    counters: dict[int, int] = {}
    for paragraph in body.iterfind(f"{A}p"):
        text = _paragraph_text(paragraph)
        if text:
            properties = paragraph.find(f"{A}pPr")
            depth = _depth(properties)
            for deeper in [level for level in counters if level > depth]:
                del counters[deeper]
            lines.append(TextLine(text, _marker(properties, depth, counters, bulleted=bulleted), depth))
    return lines


def _depth(properties: etree._Element | None) -> int:
    return min(read_number(properties.get("lvl"), 0), _MAX_DEPTH) if properties is not None else 0


def _marker(properties: etree._Element | None, depth: int, counters: dict[int, int], *, bulleted: bool) -> str:
    numbering = properties.find(f"{A}buAutoNum") if properties is not None else None
    if numbering is not None:
        start = read_number(numbering.get("startAt"), 1)
        counters[depth] = counters.get(depth, start - 1) + 1
        return f"{counters[depth]}. "
    counters.pop(depth, None)
    if properties is not None and properties.find(f"{A}buNone") is not None:
        return ""
    drawn = properties is not None and (
        properties.find(f"{A}buChar") is not None or properties.find(f"{A}buBlip") is not None
    )
    return "- " if bulleted or drawn else ""


def _paragraph_text(paragraph: etree._Element) -> str:
    parts: list[str] = []
    for element in paragraph.iter(f"{A}t", f"{A}br", "{*}r"):
        if element.tag == f"{A}br":
            parts.append(" ")
        elif element.tag == f"{A}t":
            parts.append(element.text or "")
        elif element.tag.startswith("{http://schemas.openxmlformats.org/officeDocument/2006/math}"):
            parts += [text.text or "" for text in element.iterchildren("{*}t")]
    return " ".join("".join(parts).split())


def read_table(table: etree._Element) -> list[list[str]]:
    """The grid of a table: a merged cell's text stands in its first place only."""
    return [
        ["" if _is_merged(cell) else _cell_text(cell) for cell in row.iterfind(f"{A}tc")]
        for row in table.iterfind(f"{A}tr")
    ]


def _is_merged(cell: etree._Element) -> bool:
    return any(cell.get(name, "0") in ("1", "true") for name in ("hMerge", "vMerge"))


def _cell_text(cell: etree._Element) -> str:
    body = cell.find(f"{A}txBody")
    return " ".join(line.text for line in read_lines(body, bulleted=False)) if body is not None else ""


def read_chart(chart: etree._Element) -> tuple[str, list[list[str]]]:
    """The title of a chart and its values as a grid: a row a category, a column a series."""
    title = chart.find(f"{C}chart/{C}title")
    words = " ".join(text.text or "" for text in title.iter(f"{A}t", f"{C}v")) if title is not None else ""
    series = list(chart.iter(f"{C}ser"))
    names = [" ".join(_points(one.find(f"{C}tx")).values()) for one in series]
    categories = _merge(_points(one.find(f"{C}cat")) or _points(one.find(f"{C}xVal")) for one in series)
    values = [_points(one.find(f"{C}val")) or _points(one.find(f"{C}yVal")) for one in series]
    places = sorted(set(categories).union(*values))
    grid = [[categories.get(place, ""), *(column.get(place, "") for column in values)] for place in places]
    return " ".join(words.split()), [["", *names], *grid] if grid else []


def _points(source: etree._Element | None) -> dict[int, str]:
    """The points that the file keeps of its data, by their place, as they are shown; of nested categories all
    levels."""
    points: dict[int, str] = {}
    if source is None:
        return points
    code = source.findtext(f".//{C}formatCode")  # of numbers only
    for point in source.iter(f"{C}pt"):
        place, value = read_number(point.get("idx"), -1), point.findtext(f"{C}v") or ""
        if code is not None:
            value = _show_number(value, point.get("formatCode", code))
        if place >= 0:
            points[place] = f"{value} {points[place]}" if place in points else value
    if not points and (text := source.findtext(f"{C}v")):
        points[0] = text
    return points


def _show_number(value: str, code: str) -> str:
    """What is no number, such as the name of an error, stays."""
    try:
        number = float(value)
    except ValueError:
        return value
    return show_value(number, code) if isfinite(number) else value


def _merge(columns: Iterator[dict[int, str]]) -> dict[int, str]:
    merged: dict[int, str] = {}
    for column in columns:
        merged = column | merged
    return merged


def read_diagram(data: etree._Element) -> Sequence[TextLine]:
    """The texts of a diagram (SmartArt) as items, in the order of its data."""
    return [
        TextLine(line.text, "- ")
        for point in data.iter(f"{DIAGRAM}pt")
        if point.get("type", "") in _NODES and (body := point.find(f"{DIAGRAM}t")) is not None
        for line in read_lines(body, bulleted=False)
    ]
