"""Chat completions on the wire (OpenAI's `POST /chat/completions`): what is sent, and what is read from replies."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeGuard

from skillnet_common.contracts.answers import TokenUsage
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_gateway.prompts import ChatMessage

MAX_ANSWER_CHARS = 200_000
"""An answer that is longer is cut, and counts as cut."""

_DONE = "[DONE]"
_SECONDS_AFTER_END = 1.0
"""How long the figures that may follow an answer's end are waited for. Some endpoints never hang up."""
_MOST_TOKENS = 100_000_000
"""More than any model takes or writes: such a figure is a fault of the endpoint."""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character: JSON can name it, UTF-8 cannot hold it."""
_CHARS_A_TOKEN = 4
"""About what the tokenizers of today's models take of Spanish and English prose."""


class Tally:
    """What is learnt of an answer while it is read: its tokens, and how it ended."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        self._prompt_chars = sum(len(message.content) for message in messages)
        self._answer_chars = 0
        self._has_text = False
        self._reported: tuple[int, int] | None = None
        self.finish_reason: str | None = None

    @property
    def usage(self) -> TokenUsage:
        """As the endpoint reported it, else estimated from the number of characters."""
        if self._reported is not None:
            prompt, completion = self._reported
            return TokenUsage(prompt_tokens=prompt, completion_tokens=completion, estimated=False)
        return TokenUsage(
            prompt_tokens=_estimated(self._prompt_chars),
            completion_tokens=_estimated(self._answer_chars),
            estimated=True,
        )

    @property
    def has_begun(self) -> bool:
        """Something of an answer has come: the endpoint has read the prompt, and will charge for it."""
        return self.has_text or self._reported is not None

    @property
    def has_text(self) -> bool:
        """Some of the answer has come, and not only blanks."""
        return self._has_text

    @property
    def was_cut(self) -> bool:
        """The answer ended at the limit of its length."""
        return self.finish_reason == "length"

    def read(self, body: dict[str, Any]) -> None:
        """Takes note of a reply, or of one chunk of a stream."""
        usage = body.get("usage")
        if isinstance(usage, dict):
            prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if _is_plausible(prompt) and _is_plausible(completion):
                self._reported = prompt, completion
        choices = body.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            reason = choices[0].get("finish_reason")
            self.finish_reason = reason if reason and isinstance(reason, str) else self.finish_reason

    def add(self, text: str) -> str:
        """Takes note of a piece of the answer. Returns as much of it as an answer may have."""
        fits = text[: MAX_ANSWER_CHARS - self._answer_chars]
        if len(fits) < len(text):
            self.finish_reason = "length"
        self._answer_chars += len(fits)
        self._has_text = self._has_text or not fits.isspace()
        return fits


def payload_of(model: str, messages: Sequence[ChatMessage], options: dict[str, Any]) -> dict[str, Any]:
    """The request's body."""
    listed = [{"role": message.role, "content": message.content} for message in messages]
    return {"model": model, "messages": listed, **options}


def answer_of(body: bytes, tally: Tally) -> str:
    """The text of a whole reply. Raises PermanentFault `provider_failed` where it is none."""
    reply = _object(body)
    tally.read(reply)
    text = _content(reply, "message")
    if not text.strip():
        raise _garbled("gave an empty answer")
    return tally.add(text)


async def pieces_of(lines: AsyncIterator[str], tally: Tally) -> AsyncIterator[str]:
    """The pieces of a streamed reply, from its `data:` lines.

    Raises PermanentFault `provider_failed` where it has another form or says nothing, PassingFault where it ends
    before its end.
    """
    loop = asyncio.get_running_loop()
    ends_at: float | None = None
    while True:
        try:
            async with asyncio.timeout_at(ends_at):
                line = await anext(lines, None)
        except TimeoutError:
            break
        if line is None:
            if tally.finish_reason is None:
                raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model broke off its answer.")
            break
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == _DONE:
            break
        chunk = _object(data)
        tally.read(chunk)
        piece = _piece(chunk)
        fits = tally.add(piece) if piece else ""
        if fits:
            yield fits
        if len(fits) < len(piece):
            break
        if tally.finish_reason is not None and (ends_at is None or fits):
            ends_at = loop.time() + _SECONDS_AFTER_END
    if not tally.has_text:
        raise _garbled("gave an empty answer")


def _piece(chunk: dict[str, Any]) -> str:
    """The text of a chunk; figures and verdicts of filters come in chunks without any."""
    choices = chunk.get("choices")
    if choices == [] or (choices is None and "usage" in chunk):
        return ""
    if isinstance(choices, list) and isinstance(choices[0], dict) and choices[0].get("delta") is None:
        return ""
    return _content(chunk, "delta")


def _object(data: str | bytes) -> dict[str, Any]:
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _garbled("gave a reply that is not JSON") from error
    if not isinstance(body, dict):
        raise _garbled("gave a reply that is no JSON object")
    return body


def _content(body: dict[str, Any], part: str) -> str:
    try:
        content = body["choices"][0][part].get("content") or ""
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _garbled("gave a reply that does not have the form of a chat completion") from error
    if not isinstance(content, str):
        raise _garbled("gave an answer that is not text")
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", content)


def _garbled(what: str) -> PermanentFault:
    return PermanentFault(ErrorCode.PROVIDER_FAILED, f"The language model {what}.")


def _is_plausible(tokens: object) -> TypeGuard[int]:
    return type(tokens) is int and 0 <= tokens <= _MOST_TOKENS


def _estimated(chars: int) -> int:
    return -(-chars // _CHARS_A_TOKEN)
