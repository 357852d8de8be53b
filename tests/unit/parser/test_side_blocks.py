"""Blocks side by side on a page of very many short lines."""

from __future__ import annotations

import pytest

from skillnet_common.documents import Box
from skillnet_parser.domain.layout import Fragment, Rect, Style
from skillnet_parser.domain.side_blocks import part_side_blocks


def line(text: str, x: float, y: float) -> Fragment:
    return Fragment(text, Rect(x, y, x + 4 * len(text), y + 8), Box(1, 0.0, 0.0, 0.5, 0.5), Style(8.0))


@pytest.mark.timeout(60)
def test_thousands_of_postal_codes_are_gone_through_once() -> None:
    codes = [line(f"{code} Lugo", 50 * (code % 100), 10 * (code // 100)) for code in range(10_000, 30_000)]
    assert part_side_blocks(codes) == [codes]


def test_every_pair_of_blocks_is_found_down_the_page() -> None:
    issuer, customer = ("Calle Mayor 12", "46001 Valencia", "Tel. 963 1"), ("NIF 1K", "Plaza Sol 3", "10001 Cáceres")
    pairs = [
        [line(text, x, 100 * at + 12 * row) for row, text in enumerate(block)]
        for at in range(10)
        for x, block in ((0, issuer), (200, customer))
    ]
    rows = [pairs[at + side][row] for at in range(0, len(pairs), 2) for row in range(3) for side in (0, 1)]
    assert part_side_blocks(rows) == pairs
