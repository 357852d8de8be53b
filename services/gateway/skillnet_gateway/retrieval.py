"""The retriever, asked over the bus with the caller's own credential."""

from __future__ import annotations

from nats.aio.client import Client

from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
)
from skillnet_common.messaging import subjects
from skillnet_common.messaging.requester import ask


class Retrieval:
    """Raises SkillnetError with the retriever's code, or PassingFault `unavailable` or `timeout`."""

    def __init__(self, client: Client, *, timeout: float) -> None:
        self._client = client
        self._timeout = timeout

    async def search(self, request: SearchRequest, credential: str) -> SearchReply:
        """`retrieval.v1.search`."""
        return await ask(
            self._client, subjects.SEARCH, request, SearchReply, credential=credential, timeout=self._timeout
        )

    async def context(self, request: ContextRequest, credential: str) -> ContextReply:
        """`retrieval.v1.context`."""
        return await ask(
            self._client, subjects.CONTEXT, request, ContextReply, credential=credential, timeout=self._timeout
        )

    async def ground(self, request: GroundRequest, credential: str) -> GroundReply:
        """`retrieval.v1.ground`."""
        return await ask(
            self._client, subjects.GROUND, request, GroundReply, credential=credential, timeout=self._timeout
        )
