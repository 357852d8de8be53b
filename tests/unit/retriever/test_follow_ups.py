"""Which questions lean on the turn before, and what they are searched as."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillnet_retriever.domain.follow_ups import leans_on_the_turn_before, standalone

GOLDEN = Path(__file__).parents[3] / "examples" / "questions.jsonl"


@pytest.mark.parametrize(
    "question",
    [
        "¿y si es online?",
        "¿Y cuánto tarda?",
        "pero, ¿y los domingos?",
        "¿le puedo dar agua?",
        "¿cuánto dura?",
        "¿por qué?",
        "what about Sundays?",
        "does it apply to me?",
        "e se for na loja?",
        "¿Quién lo aprueba?",
        "¿Quién la apunta?",
        "¿Cuándo los firmo?",
        "Who approves it?",
        "¿y si el cliente trae roto el tique de compra?",
        "¿Y qué pasa si el cliente trae roto el tique?",
        "And what if the customer lost the original receipt?",
        "¿Y cuánto puede alargarse la investigación?",
    ],
)
def test_a_question_that_leans_on_the_turn_before(question: str) -> None:
    assert leans_on_the_turn_before(question)


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántos días hay para devolver un artículo?",
        "dónde está el desfibrilador",
        "yogur caducado en la vitrina",
        "How do I return an item?",
        "¿Y dónde se tira el aceite usado de la freidora?",
        "Pero ¿cómo cierro la caja registradora por la noche?",
        "Y otra cosa, ¿cuál es el plazo para devolver un artículo sin tique?",
        "And how do I clean the bread oven at night?",
        "¿Dónde está la llave del almacén?",
        "¿Qué es la norma ISO 9001?",
    ],
)
def test_a_question_that_stands_alone(question: str) -> None:
    assert not leans_on_the_turn_before(question)
    assert standalone(question, ["¿Cuándo abre la tienda?"]) == question


def test_the_topic_of_the_turn_before_is_carried_over() -> None:
    earlier = ["¿Cuál es el plazo para devolver unas tazas?"]
    assert standalone("¿y si es café?", earlier) == "plazo devolver tazas ¿y si es café?"
    assert standalone("¿y si es café?", []) == "¿y si es café?"


@pytest.mark.parametrize(
    ("earlier", "question", "searched"),
    [
        (["¿Cuántos días de vacaciones tengo?"], "¿y si soy a tiempo parcial?", "días vacaciones"),
        (["¿Qué EPIs se usan en el almacén?"], "¿y en la cámara?", "EPIs usan almacén"),
        (["¿Cómo pido un anticipo de la nómina?"], "¿Quién lo aprueba?", "pido anticipo nómina"),
        (["¿A qué temperatura está el congelador?"], "¿Quién la apunta?", "temperatura congelador"),
        (["How do I return an item?"], "And without a receipt?", "return item"),
        (["¿Qué permiso hay por boda?", "¿y por mudanza?"], "¿y hay que avisar?", "permiso boda mudanza"),
        (["¿Cuántos días de vacaciones tengo?"], "¿Y dónde se tira el aceite usado de la freidora?", ""),
        (["¿Cuántos días de vacaciones tengo?"], "¿Cuál es el plazo para devolver un artículo?", ""),
    ],
)
def test_dialogues_carry_their_topic_over_and_no_other(earlier: list[str], question: str, searched: str) -> None:
    assert standalone(question, earlier) == f"{searched} {question}".strip()


def test_a_chain_of_them_keeps_its_topic() -> None:
    earlier = ["días de permiso por boda", "¿y por mudanza?"]
    assert standalone("¿y por nacimiento?", earlier) == "días permiso boda mudanza ¿y por nacimiento?"


def test_a_topic_of_before_a_change_of_subject_is_left() -> None:
    earlier = ["días de permiso por boda", "plazo para devolver unas tazas"]
    assert standalone("¿y si es café?", earlier) == "plazo devolver tazas ¿y si es café?"


def test_quotes_and_signs_of_the_turn_before_are_no_operators_of_this_one() -> None:
    assert standalone("¿y aquí?", ['"horno de piedra" -leña REF-2041-B']) == "horno piedra leña REF-2041-B ¿y aquí?"


def test_the_golden_follow_ups_are_told_from_the_other_questions() -> None:
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    missed = [g["id"] for g in golden if g.get("follows") and not leans_on_the_turn_before(g["question"])]
    taken = [g["id"] for g in golden if not g.get("follows") and leans_on_the_turn_before(g["question"])]
    assert missed == []
    assert taken == ["off-009"], "a greeting, which nothing answers"
