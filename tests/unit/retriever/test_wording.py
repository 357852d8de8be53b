"""Phrases, exclusions and alternatives in a question, and ordinary questions that have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_retriever.domain.wording import Wording, read_wording


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ('plazo "de devolución"', Wording('plazo "de devolución"', (("de devolución",),))),
        ("qué es «caja fuerte»?", Wording("qué es «caja fuerte»?", (("caja fuerte",),))),
        ("“uno dos”, y «tres»", Wording("“uno dos”, y «tres»", (("uno dos",), ("tres",)))),
        ("(„uno dos“)", Wording("(„uno dos“)", (("uno dos",),))),
        ("horno -gas", Wording("horno", (), ("gas",))),
        ("horno -gas, limpieza", Wording("horno limpieza", (), ("gas",))),
        ('horno -"de gas" limpio', Wording("horno limpio", (), ("de gas",))),
        ('-"de gas" horno', Wording("horno", (), ("de gas",))),
        ("horno -e-mail", Wording("horno", (), ("e-mail",))),
        ('"a b" OR "c d"', Wording('"a b" "c d"', (("a b", "c d"),))),
        ('"a b" o «c d» horno', Wording('"a b" «c d» horno', (("a b", "c d"),))),
        ('horno or "cámara fría"', Wording('horno "cámara fría"', (("horno", "cámara fría"),))),
        ('"a b" or horno', Wording('"a b" horno', (("a b", "horno"),))),
        ('"a b" o horno', Wording('"a b" o horno', (("a b",),))),
    ],
)
def test_operators_are_read(question: str, expected: Wording) -> None:
    assert read_wording(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "¿Qué hace el servicio de post-venta?",
        "- ¿qué plazo hay?",
        "-¿Qué plazo hay?",
        "-Hola, ¿qué plazo hay?",
        "¿A cuánto está el congelador, a -18 ºC?",
        "el plazo -si hay tique- es de treinta días",
        "¿cuál es su e-mail?",
        "plazo – devolución — tique",
        "ventas ene-feb",
        "vitamina -B",
        'pantalla de 24" o de 32" en tienda',
        "¿Se puede pagar con tarjeta o en efectivo?",
        '"" «» plazo',
        'una comilla " suelta',
        "horno or obrador",
        "-gas",
        "REF-2041-B",
    ],
)
def test_ordinary_questions_have_no_operators(question: str) -> None:
    assert read_wording(question) == Wording(question)


@given(st.text(alphabet='ab1 -"«»“”„|or?¿.', max_size=40))
def test_any_text_is_read_and_leaves_something_to_seek(question: str) -> None:
    wording = read_wording(question)
    if any(character.isalnum() for character in question):
        assert any(character.isalnum() for character in wording.text)
    assert all(any(c.isalnum() for c in phrase) for group in wording.required for phrase in group)


def test_a_phrase_is_required_once_and_eight_are_enough() -> None:
    assert read_wording('caja "de la" ' * 500).required == (("de la",),)
    many = " ".join(f'"frase {number}"' for number in range(20))
    assert len(read_wording(f"caja {many}").required) == 8
