"""Questions: passages, context, ground and answers."""

from __future__ import annotations

from collections.abc import Iterator

from skillnet_client.requests import questions as requests
from skillnet_client.responses import read_event
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.answers import AskEvent, AskReply, AskRequest
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
)


class QuestionCalls(Connection):
    """What is asked of the documents."""

    def search(self, request: SearchRequest | str) -> SearchReply:
        """The passages that answer best."""
        return self._call(requests.search(request), SearchReply)

    def context(self, request: ContextRequest | str) -> ContextReply:
        """Passages as a tagged context block for an LLM, within a token budget."""
        return self._call(requests.context(request), ContextReply)

    def ground(self, request: GroundRequest | str) -> GroundReply:
        """The context together with the ground an answer can stand on."""
        return self._call(requests.ground(request), GroundReply)

    def ask(self, request: AskRequest | str) -> AskReply:
        """An answer with its sources."""
        return self._call(requests.ask(request), AskReply)

    def ask_streamed(self, request: AskRequest | str) -> Iterator[AskEvent]:
        """An answer as it is written. The last event, `done`, has the whole reply with its citations checked."""
        with self._stream(requests.ask_streamed(request)) as response:
            for line in response.iter_lines():
                if (event := read_event(line, AskEvent)) is not None:
                    yield event
