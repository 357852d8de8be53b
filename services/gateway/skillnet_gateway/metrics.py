"""What the gateway measures of its answers."""

from __future__ import annotations

from prometheus_client import Counter

LLM_ANSWERS = Counter(
    "skillnet_llm_answers_total", "Answers asked of the LLM, by `written` or a failure's code", ["outcome"]
)
