"""Reading a table changes nothing for other readers of the process."""

from __future__ import annotations

import csv

from skillnet_parser.domain.separated import read_rows


def test_the_limit_of_fields_is_raised_and_never_lowered() -> None:
    before = csv.field_size_limit()
    assert list(read_rows("a;b", ";")) == [["a", "b"]]
    assert csv.field_size_limit() == before
    unclosed = '"' + "x" * (before + 10)
    assert len(next(read_rows(unclosed, ";"))[0]) == before + 10
    csv.field_size_limit(before)
