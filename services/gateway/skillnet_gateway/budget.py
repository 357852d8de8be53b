"""How much of an LLM's window is left for a context. Everything sent is counted: rules, template, fences, question,
and room for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from skillnet_common.contracts.answers import AskRequest
from skillnet_common.contracts.retrieval import MIN_TOKEN_BUDGET, TokenEncoding
from skillnet_gateway.prompts import COSTLIEST_FENCE, ChatMessage, grounded_prompt

_MESSAGE_TOKENS = 4
"""What a chat format puts around a message: its role and two marks."""
_REPLY_TOKENS = 3
_BORDERS = 16
"""Tokens across the borders of parts that were counted apart."""


class CountTokens(Protocol):
    """Tokens of a text in an encoding: `count_llm_tokens`."""

    def __call__(self, text: str, encoding: str) -> int:
        """As said above."""
        ...


@dataclass(frozen=True, slots=True)
class Window:
    """An LLM's window in tokens, how many of them are kept for its answer, and how they are counted."""

    tokens: int
    reserve: int
    encoding: TokenEncoding
    count: CountTokens

    def of(self, messages: Sequence[ChatMessage]) -> int:
        """Tokens of a prompt."""
        contents = sum(self.count(message.content, encoding=self.encoding) for message in messages)
        return contents + _MESSAGE_TOKENS * len(messages) + _REPLY_TOKENS


def within_window(request: AskRequest, window: Window, template: str | None) -> int:
    """The budget of the request's context, lowered to what the window has left beside everything else. Never lower
    than the least a context may have: an endpoint that refuses a prompt of that size says so itself."""
    # A question that the retriever completes has words of those before it.
    asked = " ".join([*(turn.question for turn in request.history), request.question])
    prompt = grounded_prompt(asked, "", template=template, language=request.language, fence=COSTLIEST_FENCE)
    left = window.tokens - window.reserve - window.of(prompt) - _BORDERS
    return max(MIN_TOKEN_BUDGET, min(request.token_budget, left))
