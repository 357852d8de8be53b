"""What an LLM's reply chooses of an outline."""

from __future__ import annotations

from uuid import UUID

import pytest

from skillnet_common.contracts.outlines import OutlinePart
from skillnet_common.contracts.retrieval import Strategy
from skillnet_gateway.choosing import Offer, choice_remark, choosing_prompt, chosen_parts, offer_of

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
    assert chosen_parts(reply, Offer(PARTS, 0)) == chosen


def test_an_outline_beyond_the_prompt_is_offered_in_part_and_said_so() -> None:
    long = [part.model_copy(update={"opening": "palabra " * 20}) for part in PARTS] * 100
    offer = offer_of(long, omitted=5)
    assert 0 < len(offer.parts) < len(long)
    assert offer.more == len(long) - len(offer.parts) + 5
    among = f"{len(offer.parts)} de {len(long) + 5} partes"
    assert among in choice_remark(offer, ["m1"], Strategy.OUTLINE)
    assert among in choice_remark(offer, None, Strategy.OUTLINE)
    assert f"\n{len(offer.parts)}. " in choosing_prompt("¿Plazo?", offer)[1].content


def test_of_an_outline_beyond_the_prompt_the_best_parts_are_offered_in_reading_order() -> None:
    long = [
        PARTS[0].model_copy(update={"part_id": f"m{number}", "opening": "palabra " * 20}) for number in range(300)
    ]
    long[290] = long[290].model_copy(update={"rank": 1})
    long[295] = long[295].model_copy(update={"rank": 2})
    offer = offer_of(long, omitted=0)
    assert [part.part_id for part in offer.parts[-2:]] == ["m290", "m295"]
    assert [part.part_id for part in offer.parts[:3]] == ["m0", "m1", "m2"]
    assert len(offer.parts) + offer.more == 300


def test_of_an_outline_offered_in_part_none_may_still_fit_elsewhere() -> None:
    assert chosen_parts("0", Offer(PARTS, 0)) == []
    assert chosen_parts("0", Offer(PARTS, 3)) is None
    assert chosen_parts("1", Offer(PARTS, 3)) == [PARTS[0].part_id]


def test_who_chose_is_said_where_something_came_of_it() -> None:
    whole = Offer(PARTS, 0)
    assert choice_remark(whole, ["m1"], Strategy.OUTLINE) == "Eligió el modelo de lenguaje."
    assert choice_remark(whole, ["m1"], Strategy.HYBRID) == ""
    assert choice_remark(whole, [], Strategy.HYBRID) == "Así lo dice el modelo de lenguaje."
    assert choice_remark(whole, None, Strategy.OUTLINE) == ""
