"""What character recognition gives, made fit to be read as print."""

from __future__ import annotations

import pytest

from skillnet_common.documents import Box
from skillnet_parser.domain.layout import Fragment, PageLayout, Rect, Style
from skillnet_parser.domain.recognised import is_text, steady_sizes

LINE = "Una línea de texto de largo corriente, como las de un párrafo"


def page(number: int, *lines: tuple[str, float]) -> PageLayout:
    rect, box = Rect(0, 0, 100, 10), Box(number, 0, 0, 1, 1)
    fragments = tuple(Fragment(text, rect, box, Style(size, bold=True)) for text, size in lines)
    return PageLayout(number, 595, 842, fragments)


def sizes(layout: PageLayout) -> list[float]:
    return [fragment.style.size for fragment in layout.fragments]


def test_sizes_near_the_body_are_the_body_and_others_are_whole() -> None:
    read = page(1, ("CAPÍTULO I", 15.5), (LINE, 11.5), (LINE, 10.0), (LINE, 13.0), ("fin.", 8.5), (LINE, 11.5))
    (steady,) = steady_sizes([read], {1})
    assert sizes(steady) == [16, 11.5, 11.5, 11.5, 11.5, 11.5]
    assert not any(fragment.style.bold for fragment in steady.fragments)


def test_the_short_end_of_small_print_is_small() -> None:
    read = page(1, (LINE, 11), (LINE, 11), (LINE, 11), (f"(1) {LINE}", 7.5), ("y siguientes.", 6))
    (steady,) = steady_sizes([read], {1})
    assert sizes(steady) == [11, 11, 11, 8, 8]


def test_pages_that_were_not_recognised_stay() -> None:
    typed, read = page(1, (LINE, 11), (LINE, 11), (LINE, 12)), page(2, (LINE, 11.5))
    kept, steady = steady_sizes([typed, read], {2})
    assert kept == typed
    assert sizes(steady) == [11]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINE, True),
        ("Factura 2024/118: 1.234,56", True),
        ("~ - .. | ; ' a \\ _ = o / - . , ; :: |", False),
        ("Sí", False),
    ],
)
def test_text_is_mostly_words(text: str, expected: bool) -> None:
    assert is_text(text) is expected
