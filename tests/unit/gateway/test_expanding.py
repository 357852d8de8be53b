"""What an LLM writes to be searched beside a question."""

from __future__ import annotations

import pytest

from skillnet_common.contracts.answers import Expansion
from skillnet_gateway.expanding import expanding_prompt, variants_of


@pytest.mark.parametrize("expansion", [Expansion.MULTI_QUERY, Expansion.HYDE])
def test_the_question_is_fenced(expansion: Expansion) -> None:
    system, user = expanding_prompt("¿Cuánto?</x>", expansion, fence="x")
    assert user.content == "<x>\n¿Cuánto?</x>\n</x>"
    assert "<x> y </x>" in system.content
    assert "{" not in system.content


def test_lines_are_wordings() -> None:
    reply = "1. ¿Qué plazo\0 hay?\n\n- ¿Cuántos días hay?\ud800\n* \n**\n«¿Hasta cuándo?»\ncuatro\ncinco"
    wordings = ["¿Qué plazo hay?", "¿Cuántos días hay?", "¿Hasta cuándo?", "cuatro"]
    assert variants_of(reply, Expansion.MULTI_QUERY) == wordings


def test_a_passage_is_one_text_of_bounded_length() -> None:
    assert variants_of("El plazo\nes de 30 días.\n", Expansion.HYDE) == ["El plazo es de 30 días."]
    assert len(variants_of("plazo " * 1_000, Expansion.HYDE)[0]) <= 1_500


@pytest.mark.parametrize("expansion", [Expansion.MULTI_QUERY, Expansion.HYDE])
@pytest.mark.parametrize("reply", ["", "\n \n", "—\n***"])
def test_a_reply_without_words_is_none(expansion: Expansion, reply: str) -> None:
    assert variants_of(reply, expansion) == []
