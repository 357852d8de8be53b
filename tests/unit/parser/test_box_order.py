"""The reading order of boxes that were placed by hand."""

from __future__ import annotations

from skillnet_parser.domain.box_order import order_boxes


def test_boxes_that_no_line_parts_are_read_by_their_middles() -> None:
    pinwheel = [(0.0, 0.0, 2.0, 1.0), (2.0, 0.0, 1.0, 2.0), (1.0, 2.0, 2.0, 1.0), (0.0, 1.0, 1.0, 2.0)]
    assert order_boxes(pinwheel) == [0, 1, 3, 2]


def test_boxes_within_boxes_without_end() -> None:
    """Each next pair is a bar above and a bar to the left of all that follow."""
    frames = []
    for step in range(3000):
        rest = float(6000 - 2 * step)
        frames += [(6000 - rest, 6000 - rest, rest, 1.0), (6000 - rest, 6001 - rest, 1.0, rest)]
    assert sorted(order_boxes(frames)) == list(range(6000))
