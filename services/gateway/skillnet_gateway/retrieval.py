"""The retriever, asked over the bus with the caller's own credential."""

from __future__ import annotations

from typing import TypeVar

from nats.aio.client import Client
from pydantic import BaseModel

from skillnet_common.contracts import subjects
from skillnet_common.contracts.outlines import OutlineReply, OutlineRequest
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
)
from skillnet_common.contracts.usage import UsageKind
from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_common.messaging.requester import ask

Reply = TypeVar("Reply", bound=BaseModel)


class Retrieval:
    """Raises SkillnetError with the retriever's code, or PassingFault `unavailable` or `timeout`."""

    def __init__(self, client: Client, *, timeout: float) -> None:
        self._client = client
        self._timeout = timeout

    async def search(self, request: SearchRequest, credential: str) -> SearchReply:
        """`retrieval.v1.search`."""
        return await self._ask(subjects.SEARCH, request, SearchReply, credential)

    async def context(self, request: ContextRequest, credential: str) -> ContextReply:
        """`retrieval.v1.context`."""
        return await self._ask(subjects.CONTEXT, request, ContextReply, credential)

    async def ground(self, request: GroundRequest, credential: str) -> GroundReply:
        """`retrieval.v1.ground`."""
        return await self._ask(subjects.GROUND, request, GroundReply, credential)

    async def ground_to_answer(self, request: GroundRequest, credential: str) -> GroundReply:
        """`retrieval.v1.ground` of a question that is to be answered in words, and is counted as such."""
        return await self._ask(subjects.GROUND, request, GroundReply, credential, purpose=UsageKind.ASK)

    async def outline(self, request: OutlineRequest, credential: str) -> OutlineReply:
        """`retrieval.v1.outline`."""
        return await self._ask(subjects.OUTLINE, request, OutlineReply, credential)

    async def _ask(
        self,
        subject: str,
        request: BaseModel,
        reply_type: type[Reply],
        credential: str,
        *,
        purpose: UsageKind | None = None,
    ) -> Reply:
        if not self._client.is_connected:
            # The client would keep the request until the connection is back, and the caller waiting with it.
            raise PassingFault(ErrorCode.UNAVAILABLE, "The bus cannot be reached just now.")
        return await ask(
            self._client,
            subject,
            request,
            reply_type,
            credential=credential,
            timeout=self._timeout,
            purpose=purpose,
        )
