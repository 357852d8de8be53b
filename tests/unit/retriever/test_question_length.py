"""How far the words of a long question are looked up."""

from __future__ import annotations

from skillnet_retriever.domain.length import MOST_WORDS, looked_up


def test_an_ordinary_question_is_looked_up_whole() -> None:
    question = "¿Cuántos días hay para devolver un artículo con la referencia REF-2041-B?"
    assert looked_up(question) == question


def test_a_text_that_says_the_same_again_is_looked_up_whole() -> None:
    text = " ".join(["El pedido no ha llegado a la tienda del centro."] * 80)
    assert looked_up(text) == text


def test_a_list_of_codes_is_cut_between_two_of_them() -> None:
    codes = [f"REF-{number:04}-B" for number in range(300)]
    assert looked_up(" ".join(codes)).split() == codes[: MOST_WORDS - 2], "REF and B are words of all"
    assert looked_up(", ".join(codes)) == ", ".join(codes[: MOST_WORDS - 2]) + ","


def test_a_list_without_spaces_is_cut_too() -> None:
    joined = looked_up("/".join(f"palabra{number}" for number in range(300)))
    assert 0 < joined.count("palabra") <= MOST_WORDS
