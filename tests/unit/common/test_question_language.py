"""The language a question is asked in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillnet_common.text.languages import question_language

GOLDEN = Path(__file__).parents[3] / "examples" / "questions.jsonl"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("¿Cuál es el plazo de devolución?", "es"),
        ("cuanto cuesta el pan de centeno", "es"),
        ("How long do I have to return a cake?", "en"),
        ("what is the pin of the alarm", "en"),
        ("Quantos dias de férias tenho?", "pt"),
        ("quanto custa o pao de centeio", "pt"),
        ("E se o cliente não tiver o talão?", "pt"),
        ("¿Qué es el «cash flow» de the company?", "es"),
        ("PAN-005", "es"),
        ("", "es"),
    ],
)
def test_function_words_tell_the_language(question: str, language: str) -> None:
    assert question_language(question) == language


def test_nearly_every_golden_question_is_told() -> None:
    asked = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    wrong = [entry["id"] for entry in asked if question_language(entry["question"]) != entry["language"]]
    assert len(asked) > 300
    assert len(wrong) <= 3, wrong
