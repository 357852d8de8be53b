"""Questions: passages, context, ground and answers."""

from __future__ import annotations

from collections.abc import AsyncIterator

from skillnet_client.aio.connection import AsyncConnection
from skillnet_client.requests import questions as requests
from skillnet_client.responses import read_event
from skillnet_common.contracts.answers import AskEvent, AskReply, AskRequest
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
)


class AsyncQuestionCalls(AsyncConnection):
    """What is asked of the documents."""

    async def search(self, request: SearchRequest | str) -> SearchReply:
        """The passages that answer best."""
        return await self._call(requests.search(request), SearchReply)

    async def context(self, request: ContextRequest | str) -> ContextReply:
        """Passages as a tagged context block for an LLM, within a token budget."""
        return await self._call(requests.context(request), ContextReply)

    async def ground(self, request: GroundRequest | str) -> GroundReply:
        """The context together with the ground an answer can stand on."""
        return await self._call(requests.ground(request), GroundReply)

    async def ask(self, request: AskRequest | str) -> AskReply:
        """An answer with its sources."""
        return await self._call(requests.ask(request), AskReply)

    async def ask_streamed(self, request: AskRequest | str) -> AsyncIterator[AskEvent]:
        """An answer as it is written. The last event, `done`, has the whole reply with its citations checked."""
        async with self._stream(requests.ask_streamed(request)) as response:
            async for line in response.aiter_lines():
                if (event := read_event(line, AskEvent)) is not None:
                    yield event
