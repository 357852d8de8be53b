"""Ranges and conditions of requests for a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.errors import RequestError
from skillnet_gateway.ranges import is_known, requested_range

TAG = '"abc"'


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=2-5", (2, 6)),
        ("bytes=2-", (2, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-99", (0, 10)),
        ("bytes=9-99", (9, 10)),
        ("BYTES= 0-1 ", (0, 2)),
        ("bytes=0-" + "9" * 500, (0, 10)),
        ("bytes=-" + "9" * 500, (0, 10)),
        ("bytes=" + "0" * 500 + "1-1", (1, 2)),
    ],
)
def test_one_range_is_served(header: str, span: tuple[int, int]) -> None:
    part = requested_range(header, None, TAG, 10)
    assert part is not None
    assert (part.start, part.stop) == span
    assert part.content_range == f"bytes {span[0]}-{span[1] - 1}/10"


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=" + "9" * 5_000 + "-"])
def test_a_range_outside_the_file_is_refused(header: str) -> None:
    with pytest.raises(RequestError) as error:
        requested_range(header, None, TAG, 10)
    assert (error.value.code, error.value.details) == ("range_not_satisfiable", {"size": 10})


@pytest.mark.parametrize(
    "header",
    [None, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "lines=0-1", "bytes=0-0,5-9", "bytes=0 - 1",
     "bytes=٣-٤", "bytes=--1"],
)  # fmt: skip
def test_anything_else_gets_the_whole_file(header: str | None) -> None:
    assert requested_range(header, None, TAG, 10) is None


@pytest.mark.parametrize(
    ("condition", "ranged"),
    [(None, True), (TAG, True), ('"other"', False), (f"W/{TAG}", False), ("Tue, 01 Dec 2026 00:00:00 GMT", False)],
)
def test_a_range_of_another_file_gets_the_whole_file(condition: str | None, ranged: bool) -> None:
    assert (requested_range("bytes=0-1", condition, TAG, 10) is not None) is ranged


@pytest.mark.parametrize(
    ("header", "known"),
    [(None, False), ("", False), ("*", True), (TAG, True), (f'"x", W/{TAG}', True), ('"x"', False), ("abc", False)],
)
def test_what_the_caller_has(header: str | None, known: bool) -> None:
    assert is_known(header, TAG) is known


@given(first=st.integers(0, 20), last=st.integers(0, 20), size=st.integers(0, 15))
def test_a_range_lies_within_the_file(first: int, last: int, size: int) -> None:
    """As Python's slices cut it."""
    content = bytes(range(size))
    try:
        part = requested_range(f"bytes={first}-{last}", None, TAG, size)
    except RequestError:
        assert content[first : last + 1] == b""
        return
    if part is None:
        assert last < first
    else:
        assert content[part.start : part.stop] == content[first : last + 1] != b""
