"""What is sent to an LLM fits its window, with room for the answer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from skillnet_common.contracts.answers import AskRequest, Turn
from skillnet_common.contracts.retrieval import MIN_TOKEN_BUDGET, TokenEncoding
from skillnet_gateway.budget import Window, within_window
from skillnet_gateway.prompts import grounded_prompt
from skillnet_inference.budget import count_llm_tokens

WORDS = st.lists(st.sampled_from(["plazo", "devolución", "30 días", "ñandú", "€", "<datos>", "\n\n"]), min_size=1)
TEXTS = WORDS.map(" ".join)


def window(tokens: int, reserve: int = 500, encoding: TokenEncoding = TokenEncoding.O200K) -> Window:
    return Window(tokens, reserve, encoding, count_llm_tokens)


def test_a_large_window_leaves_the_budget_as_it_is() -> None:
    request = AskRequest(question="¿Cuánto?", token_budget=4_000)
    assert within_window(request, window(128_000), None) == 4_000


def test_prompt_question_and_answer_are_taken_off() -> None:
    request = AskRequest(question="¿Cuánto?", token_budget=200_000)
    small, large = within_window(request, window(4_000, 500), None), within_window(request, window(8_000, 500), None)
    assert large - small == 4_000
    assert small == within_window(request, window(4_500, 1_000), None)
    longer = AskRequest(question="¿Cuánto? " * 200, token_budget=200_000)
    assert within_window(longer, window(4_000, 500), None) < small - 400
    template = "Contexto:\n{context}\n{question}\n" + "Sé breve. " * 300
    assert within_window(request, window(4_000, 500), template) < small - 600


def test_a_conversation_may_lengthen_the_question() -> None:
    request = AskRequest(question="¿y si es online?", token_budget=200_000)
    talked = request.model_copy(update={"history": [Turn(question="¿Cuál es el plazo de devolución?")]})
    assert within_window(talked, window(4_000), None) < within_window(request, window(4_000), None)


def test_a_context_has_never_less_than_the_least_budget() -> None:
    assert within_window(AskRequest(question="¿Cuánto?"), window(600), None) == MIN_TOKEN_BUDGET


@settings(max_examples=50)
@given(TEXTS, TEXTS, st.sampled_from(TokenEncoding), st.integers(1_500, 6_000))
def test_the_whole_prompt_fits(question: str, piece: str, encoding: TokenEncoding, tokens: int) -> None:
    request = AskRequest(question=question[:4_000], token_budget=200_000)
    room = window(tokens, 500, encoding)
    budget = within_window(request, room, None)
    repeated = budget // count_llm_tokens(f"{piece} ", encoding) + 1
    while count_llm_tokens(context := f"{piece} " * repeated, encoding) > budget:
        repeated -= 1
    if budget > MIN_TOKEN_BUDGET:
        assert room.of(grounded_prompt(request.question, context)) + room.reserve <= tokens
