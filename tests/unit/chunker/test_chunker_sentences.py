"""Sentences of Spanish business and legal prose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillnet_common.text.sentences import sentence_spans


def split(text: str, language: str = "es") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, 0, len(text), language)]


@pytest.mark.parametrize(
    "sentence",
    [
        "El Sr. Pérez y la Dra. Gil firman.",
        "D. Juan y Dña. Ana Ruiz acuden.",
        "Véase la pág. 12 y el art. 5 de la Ley.",
        "Vive en la Avda. Real, n.º 5, 2.º izquierda.",
        "El R.D. 5/2003 no se aplica en EE. UU. desde entonces.",
        "Según J. L. Borges, todo vuelve.",
        "1. Primer punto de la lista.",
        "a) Primer apartado.",
        "IV. Cuarto capítulo.",
        "Primero.- Las medidas se aplican.",
        "Compra pan, leche, etc. y vuelve.",
        "Cuesta 3.50 euros, aprox. 4 dólares.",
        "Cfr. Núm. 4 del Anexo.",
    ],
)
def test_abbreviations_and_enumerators_end_no_sentence(sentence: str) -> None:
    assert split(f"{sentence} Después se archiva.") == [sentence, "Después se archiva."]


def test_questions_and_exclamations_end_sentences() -> None:
    assert split("¿Cómo se pide? Se llama. ¡Rápido! Fin.") == ["¿Cómo se pide?", "Se llama.", "¡Rápido!", "Fin."]


def test_a_line_break_within_a_sentence_is_no_end() -> None:
    assert split("El plazo es\nde treinta días. Se cuenta\ndesde la entrega.") == [
        "El plazo es\nde treinta días.",
        "Se cuenta\ndesde la entrega.",
    ]


def test_only_the_span_asked_for_is_split() -> None:
    text = "Antes. Uno. Dos. Después."
    assert [text[start:end] for start, end in sentence_spans(text, 7, 16, "es")] == ["Uno.", "Dos."]


@settings(deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8"), max_size=400),
    language=st.sampled_from(["es", "en", "pt", "ca", "eu", "zh", "xx", ""]),
)
def test_no_character_but_white_space_is_lost(text: str, language: str) -> None:
    spans = list(sentence_spans(text, 0, len(text), language))
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert spans == sorted(spans)
