"""Where a source stands, in words."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from skillnet_cli.output import place
from skillnet_common.contracts.retrieval import Source


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"page_start": 3, "page_end": 3}, "Manual > Devoluciones, pág.\u00a03"),
        ({"page_start": 3, "page_end": 4}, "Manual > Devoluciones, págs.\u00a03-4"),
        ({"page_start": 3, "page_end": 3, "ocr": True}, "Manual > Devoluciones, pág.\u00a03 (OCR)"),
        ({"page_start": None, "page_end": None}, "Manual > Devoluciones"),
    ],
)
def test_a_place_names_the_pages_and_whether_recognition_read_them(fields: dict[str, Any], expected: str) -> None:
    source = Source(
        number=1,
        label="Fuente 1",
        document_id=UUID(int=1),
        version=1,
        document_title="Manual",
        section_path=["Devoluciones"],
        chunk_ids=[UUID(int=2)],
        char_start=0,
        char_end=5,
        text="Texto",
        **fields,
    )
    assert place(source) == expected
