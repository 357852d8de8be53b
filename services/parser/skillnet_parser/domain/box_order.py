"""Reading order of boxes that were placed by hand: rows before columns.

The recursive X-Y cut (Nagy and Seth 1984): boxes are cut apart where a horizontal line passes between them, else
where a vertical one does. Those that no line parts are read by their middles. For prose in columns of a page see
`reading_order`.
"""

from __future__ import annotations

from collections.abc import Sequence

_SLACK = 0.15  # of a box's height or width, on either side: by so much boxes of two rows may overlap
_MAX_DEPTH = 50  # of parts within parts: slides made by hand have five

Frame = tuple[float, float, float, float]
"""Left, top, width and height."""
_HORIZONTAL, _VERTICAL = 0, 1


def order_boxes(frames: Sequence[Frame]) -> list[int]:
    """The places of the boxes in `frames`, top to bottom and left to right; boxes on a slant are one row."""
    return _cut(frames, list(range(len(frames))), _MAX_DEPTH)


def union_of(frames: Sequence[Frame]) -> Frame:
    """The smallest frame around all of them."""
    left, top = min(frame[0] for frame in frames), min(frame[1] for frame in frames)
    right = max(frame[0] + frame[2] for frame in frames)
    bottom = max(frame[1] + frame[3] for frame in frames)
    return left, top, right - left, bottom - top


def _cut(frames: Sequence[Frame], places: list[int], depth: int) -> list[int]:
    if len(places) < 2:
        return places
    for axis in (_VERTICAL, _HORIZONTAL) if depth else ():
        parts = _parts(frames, places, axis)
        if len(parts) > 1:
            return [place for part in parts for place in _cut(frames, part, depth - 1)]
    return sorted(places, key=lambda place: (_middle(frames[place]), frames[place][0]))


def _parts(frames: Sequence[Frame], places: Sequence[int], axis: int) -> list[list[int]]:
    """Runs of boxes along an axis, with a line across it between each two."""
    spans = sorted((*_core(frames[place], axis), place) for place in places)
    parts: list[list[int]] = []
    reach = 0.0
    for start, end, place in spans:
        if parts and start < reach:
            parts[-1].append(place)
            reach = max(reach, end)
        else:
            parts.append([place])
            reach = end
    return parts


def _core(frame: Frame, axis: int) -> tuple[float, float]:
    """Where a box begins and ends along an axis, without what may overlap."""
    start, size = frame[axis], abs(frame[axis + 2])
    return start + _SLACK * size, start + (1 - _SLACK) * size


def _middle(frame: Frame) -> float:
    return frame[1] + frame[3] / 2
