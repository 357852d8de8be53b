"""What is said of another code is no answer about a code that nothing holds."""

from __future__ import annotations

import pytest

from skillnet_retriever.domain.candidates import Pool, QueryTerm
from skillnet_retriever.domain.evidence import names_absent_code


@pytest.mark.parametrize(
    ("text", "chunk_count", "absent"),
    [
        ("ref-9999-z", 0, True),
        ("iso9001", 0, True),
        ("ref-2041-b", 3, False),
        ("tornillo", 0, False),
        ("2026", 0, False),
        ("3kg", 0, False),
    ],
)
def test_a_code_that_nothing_holds(text: str, chunk_count: int, absent: bool) -> None:
    pool = Pool(candidates=(), terms=(QueryTerm(0, text, 5.0, chunk_count),))
    assert names_absent_code(pool) is absent
