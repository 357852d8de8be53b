"""The shapes of a slide, each with its place on the slide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from skillnet_common.documents import Box
from skillnet_parser.formats.docx_runs import choose_alternative, is_alternative
from skillnet_parser.formats.pptx_package import A, P, SlideParts

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_PROPERTIES = ("nvSpPr", "nvGraphicFramePr", "nvPicPr", "nvCxnSpPr", "nvGrpSpPr")
_DIGITS = 4
_LIKE_BODY = ("body", "obj", "subTitle")
_LIKE_TITLE = ("title", "ctrTitle")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What part of its layout a shape fills."""

    kind: str
    index: str


@dataclass(frozen=True, slots=True)
class Shape:
    """`frame` is left, top, width and height as fractions of the slide; None where neither the slide nor its
    layout tells. `group` is the outermost one around the shape."""

    element: etree._Element
    placeholder: Placeholder | None
    frame: tuple[float, float, float, float] | None
    hidden: bool
    group: etree._Element | None = None

    def box(self, page: int) -> Box:
        """The part of the frame that is on the slide; the whole slide where there is none."""
        if self.frame is None:
            return Box(page, 0.0, 0.0, 1.0, 1.0)
        left, top, width, height = self.frame
        x0, y0, x1, y1 = (_on_slide(value) for value in (left, top, left + width, top + height))
        return Box(page, x0, y0, x1, y1) if x0 < x1 and y0 < y1 else Box(page, 0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From the coordinates inside a group to fractions of the slide: `place = offset + factor * value`."""

    x_offset: float
    y_offset: float
    x_factor: float
    y_factor: float

    def frame(self, transform: etree._Element) -> tuple[float, float, float, float] | None:
        place = _pair(transform.find(f"{A}off"), "x", "y")
        size = _pair(transform.find(f"{A}ext"), "cx", "cy")
        if place is None or size is None:
            return None
        return (
            self.x_offset + self.x_factor * place[0],
            self.y_offset + self.y_factor * place[1],
            self.x_factor * size[0],
            self.y_factor * size[1],
        )

    def inside(self, transform: etree._Element | None) -> _Scale:
        """That of the shapes of a group with this transform."""
        outer = self.frame(transform) if transform is not None else None
        origin = _pair(transform.find(f"{A}chOff"), "x", "y") if transform is not None else None
        extent = _pair(transform.find(f"{A}chExt"), "cx", "cy") if transform is not None else None
        if outer is None or origin is None or extent is None or 0 in extent:
            return self
        x_factor, y_factor = outer[2] / extent[0], outer[3] / extent[1]
        return _Scale(outer[0] - x_factor * origin[0], outer[1] - y_factor * origin[1], x_factor, y_factor)


def read_shapes(parts: SlideParts, width: int, height: int) -> Iterator[Shape]:
    """The shapes with something to read, those of groups in the group's place. `width` and `height` are the
    slide's, in the units of the file."""
    tree = parts.slide.find(f"{P}cSld/{P}spTree")
    if tree is not None:
        yield from _walk(tree, parts, _Scale(0.0, 0.0, 1 / width, 1 / height), hidden=False)


def inherited_shapes(parts: SlideParts, placeholder: Placeholder) -> Iterator[etree._Element]:
    """The shapes that a placeholder takes after: its layout's, by index (titles by kind), then its master's."""
    kinds = _LIKE_TITLE if placeholder.kind in _LIKE_TITLE else _LIKE_BODY
    for shape, other in _placeholders(parts.layout):
        if other.kind in kinds and (kinds is _LIKE_TITLE or placeholder.index == other.index):
            yield shape
    if placeholder.kind in kinds:
        for shape, other in _placeholders(parts.master):
            if other.kind in kinds:
                yield shape


def _placeholders(part: etree._Element | None) -> Iterator[tuple[etree._Element, Placeholder]]:
    for shape in part.iter(f"{P}sp") if part is not None else ():
        placeholder = placeholder_of(shape)
        if placeholder is not None:
            yield shape, placeholder


def placeholder_of(shape: etree._Element) -> Placeholder | None:
    """None for a shape that stands by itself."""
    for name in _PROPERTIES:
        found = shape.find(f"{P}{name}/{P}nvPr/{P}ph")
        if found is not None:
            return Placeholder(found.get("type", "obj"), found.get("idx", "0"))
    return None


def _walk(
    container: etree._Element,
    parts: SlideParts,
    scale: _Scale,
    *,
    hidden: bool,
    group: etree._Element | None = None,
) -> Iterator[Shape]:
    for element in container.iterchildren(tag=etree.Element):
        if element.tag == f"{P}grpSp":
            inner = scale.inside(element.find(f"{P}grpSpPr/{A}xfrm"))
            outermost = group if group is not None else element
            yield from _walk(element, parts, inner, hidden=hidden or _is_hidden(element), group=outermost)
        elif element.tag in (f"{P}sp", f"{P}graphicFrame", f"{P}pic"):
            placeholder = placeholder_of(element)
            frame = _frame(element, placeholder, parts, scale)
            yield Shape(element, placeholder, frame, hidden or _is_hidden(element), group)
        elif is_alternative(element):
            for chosen in choose_alternative(element):
                yield from _walk(chosen, parts, scale, hidden=hidden, group=group)


def _frame(
    element: etree._Element, placeholder: Placeholder | None, parts: SlideParts, scale: _Scale
) -> tuple[float, float, float, float] | None:
    transform = _transform(element)
    if transform is None and placeholder is not None:
        transforms = map(_transform, inherited_shapes(parts, placeholder))
        transform = next((found for found in transforms if found is not None), None)
    return scale.frame(transform) if transform is not None else None


def _transform(element: etree._Element) -> etree._Element | None:
    found = element.find(f"{P}spPr/{A}xfrm")
    return found if found is not None else element.find(f"{P}xfrm")


def _on_slide(fraction: float) -> float:
    """Within the slide, in the steps that documents are stored in."""
    return round(min(max(fraction, 0.0), 1.0), _DIGITS)


def _is_hidden(element: etree._Element) -> bool:
    return any(
        properties.get("hidden", "0") in ("1", "true")
        for name in _PROPERTIES
        for properties in element.iterfind(f"{P}{name}/{P}cNvPr")
    )


def _pair(element: etree._Element | None, first: str, second: str) -> tuple[int, int] | None:
    if element is None:
        return None
    values = (element.get(first, ""), element.get(second, ""))
    if not all(map(_WHOLE.fullmatch, values)):
        return None
    return int(values[0]), int(values[1])
