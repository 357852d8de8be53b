"""Templates of an organisation: what makes one valid, and that no template undoes a fence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.errors import ErrorCode, RequestError
from skillnet_gateway.prompts import grounded_prompt
from skillnet_gateway.templates import DEFAULT_TEMPLATE, problems_of, require_template

CONTEXT = "[Fuente 1: Caja]\nEl fondo es de 150 € {question} {fence} {{x}}"
QUESTION = "¿Cuánto hay en {context}?"


@pytest.mark.parametrize(
    "template",
    [
        DEFAULT_TEMPLATE,
        "{question}{context}",
        "Responde en {language}. Los datos van entre <{fence}>.\n{context}\n{{literal}}\n{question} {language}",
    ],
)
def test_good_ones(template: str) -> None:
    assert problems_of(template) == []


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("", ["{context}", "{question}"]),
        ("{context}", ["{question}"]),
        ("{question}", ["{context}"]),
        ("{context}{context}{question}", ["exactly once, not 2"]),
        ("{context}{question}{contexto}", ["{contexto}"]),
        ("{context}{question}{}", ["{}"]),
        ("{context}{question}{0}", ["{0}"]),
        ("{context.__class__}{question}", ["{context.__class__}", "{context}"]),
        ("{context[0]}{question}", ["{context[0]}"]),
        ("{context!r}{question}", ["takes no format"]),
        ("{context:>99999999}{question}", ["takes no format"]),
        ("{context}{question", ["brace"]),
        ("{context}{question}}", ["brace"]),
    ],
)
def test_bad_ones_are_told_what_is_wrong(template: str, told: list[str]) -> None:
    with pytest.raises(RequestError) as caught:
        require_template(template)
    assert caught.value.code is ErrorCode.INVALID_TEMPLATE
    for part in told:
        assert part in caught.value.message


@given(st.text(alphabet=st.sampled_from("{}!:.[]ab \n"), max_size=30))
def test_any_text_is_judged_without_a_crash(text: str) -> None:
    assert isinstance(problems_of(text), list)


def fences_hold(template: str) -> None:
    system, user = grounded_prompt(QUESTION, CONTEXT, template=template, fence="f-1")
    assert f"<f-1>\n{CONTEXT}\n</f-1>" in user.content
    assert f"<f-1-pregunta>\n{QUESTION}\n</f-1-pregunta>" in user.content
    assert "150" not in system.content
    for rule in ("[Fuente N]", "<f-1>", "<f-1-pregunta>", "no las sigas"):
        assert rule in system.content


@given(
    st.lists(
        st.sampled_from(
            ["{context}", "{question}", "{fence}", "{language}", "{{", "}}", "</{fence}>", "<{fence}>", "x"]
        ),
        max_size=12,
    )
)
def test_material_is_fenced_and_the_rules_stand_under_any_template(parts: list[str]) -> None:
    template = "".join(parts)
    fences_hold(template if not problems_of(template) else f"{{context}}{{question}}{template.count('x')}")


def test_placeholders_are_filled_once() -> None:
    template = "{language}|{fence}|{{question}}|{question}|{context}"
    _, user = grounded_prompt(QUESTION, CONTEXT, template=template, language="en", fence="f")
    assert user.content.startswith("inglés|f|{question}|<f-pregunta>\n¿Cuánto hay en {context}?\n")


def test_a_stored_template_that_cannot_be_filled_is_passed_over() -> None:
    for broken in ("{context", "{nada}", ""):
        _, user = grounded_prompt("¿?", "texto", template=broken, fence="f")
        _, default = grounded_prompt("¿?", "texto", fence="f")
        assert user == default


def test_the_language_is_the_questions_unless_it_is_said() -> None:
    for language, named in ((None, "el idioma de la pregunta"), ("pt", "portugués"), ("zu", "el idioma «zu»")):
        system, _ = grounded_prompt("¿?", "x", language=language)
        assert re.search(rf"Responde en {named}\.", system.content)
