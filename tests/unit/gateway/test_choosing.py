"""What an LLM's reply chooses of an outline."""

from __future__ import annotations

from uuid import UUID

import pytest

from skillnet_common.contracts.retrieval import OutlinePart
from skillnet_gateway.choosing import chosen_parts

PARTS = [
    OutlinePart(
        part_id=f"m{number}",
        document_id=UUID(int=1),
        document_title="Curso",
        path=[f"Módulo {number}"],
        headings=[],
        opening="",
    )
    for number in (1, 2, 3)
]


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("2", ["m2"]),
        ("3, 1", ["m3", "m1"]),
        ("Módulos: 1 y 2.", ["m1", "m2"]),
        ("1, 9", ["m1"]),
        ("0", []),
        ("-1", None),
        ("9", None),
        ("El módulo 3 porque en 2026 hay 2", None),
        ("No lo sé", None),
        ("", None),
    ],
)
def test_numbers_alone_are_a_choice(reply: str, chosen: list[str] | None) -> None:
    assert chosen_parts(reply, PARTS) == chosen
