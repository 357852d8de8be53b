"""How endpoints differ in what they take of a chat completion's request; learnt from what they refuse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options of a request. At first those that most endpoints take."""

    limit_name: str = "max_tokens"
    temperature: bool = True
    stream_usage: bool = True

    def options(self, *, max_tokens: int, stream: bool) -> dict[str, Any]:
        """The options' part of a request's body."""
        options: dict[str, Any] = {self.limit_name: max_tokens, "stream": stream}
        if self.temperature:
            options["temperature"] = 0
        if stream and self.stream_usage:
            options["stream_options"] = {"include_usage": True}
        return options

    def after_refusal(self, error: str) -> Dialect | None:
        """What to try instead, where the refusal names an option; None where it is about something else."""
        if self.stream_usage and ("stream_options" in error or "include_usage" in error):
            return replace(self, stream_usage=False)
        if self.limit_name == "max_tokens" and "max_completion_tokens" in error:  # OpenAI's reasoning models
            return replace(self, limit_name="max_completion_tokens")
        if self.temperature and "temperature" in error:
            return replace(self, temperature=False)
        return None
