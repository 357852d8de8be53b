"""The reading order of a slide's shapes: the file keeps them from back to front, as they were inserted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from skillnet_parser.domain.box_order import order_boxes, union_of
from skillnet_parser.formats.pptx_shapes import Shape

_Unit = list[Shape]


def order_shapes(shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes by their place on the slide. Those of a group stay together; placeholders keep the order among
    themselves that their layout gives them; a shape without a place follows the one before it."""
    units = [_order_group(unit) for unit in _units(shapes)]
    by_place = _order_units(units)
    fixed = deque(unit for unit in units if _is_fixed(unit))
    ordered: list[Shape] = []
    for unit in by_place:
        ordered += fixed.popleft() if _is_fixed(unit) else unit
    return ordered


def _units(shapes: Iterable[Shape]) -> list[_Unit]:
    """What stays together."""
    units: list[_Unit] = []
    for shape in shapes:
        last = units[-1][-1] if units else None
        if last is not None and ((shape.group is not None and shape.group is last.group) or shape.frame is None):
            units[-1].append(shape)
        else:
            units.append([shape])
    return units


def _order_group(unit: _Unit) -> _Unit:
    if unit[0].group is None:
        return unit
    return [shape for single in _order_units([[shape] for shape in unit]) for shape in single]


def _order_units(units: Sequence[_Unit]) -> list[_Unit]:
    placed = [(unit, [shape.frame for shape in unit if shape.frame is not None]) for unit in units]
    order = order_boxes([union_of(frames) for _, frames in placed if frames])
    framed = [unit for unit, frames in placed if frames]
    return [unit for unit, frames in placed if not frames] + [framed[place] for place in order]


def _is_fixed(unit: _Unit) -> bool:
    return unit[0].placeholder is not None
