"""The asynchronous client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import UUID

import httpx

from skillnet_client import requests
from skillnet_client.account import AsyncAccountCalls
from skillnet_client.errors import SkillnetApiError
from skillnet_client.quarantine import AsyncQuarantineCalls
from skillnet_client.requests import ApiRequest, UploadOptions
from skillnet_client.responses import (
    Reply,
    is_repeated_delete,
    raise_for_problem,
    read_event,
    read_reply,
    unreachable,
)
from skillnet_client.retries import RetryPolicy
from skillnet_client.settling import OnProgress, Settling
from skillnet_common.contracts.answers import AskEvent, AskReply, AskRequest
from skillnet_common.contracts.documents import (
    DocumentDetail,
    DocumentPage,
    DocumentStatus,
    DocumentSummary,
    Me,
    UploadReply,
)
from skillnet_common.contracts.organizations import Organization, OrganizationChange
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
)
from skillnet_common.errors import ErrorCode


class AsyncSkillnetClient(AsyncAccountCalls, AsyncQuarantineCalls):
    """Calls a gateway. Every method raises SkillnetApiError; `timeout` is in seconds for each read or write.

    A context manager; `close` it otherwise.
    """

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 60.0, retry: RetryPolicy | None = None
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=httpx.Timeout(timeout, connect=5.0),
        )
        self._retry = retry or RetryPolicy()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def upload(self, file: Path | bytes, options: UploadOptions | None = None) -> UploadReply:
        """Sends a file as a document, or as the next version of the one with its key and source."""
        return await self._call(requests.upload(file, options or UploadOptions()), UploadReply)

    async def upload_version(
        self, document_id: UUID, file: Path | bytes, options: UploadOptions | None = None
    ) -> UploadReply:
        """Sends a file as the next version of a known document."""
        return await self._call(requests.upload_version(document_id, file, options or UploadOptions()), UploadReply)

    async def documents_page(
        self,
        *,
        cursor: str | None = None,
        limit: int = 100,
        status: DocumentStatus | None = None,
        course_id: str | None = None,
        source: str | None = None,
        external_key: str | None = None,
        ids: Sequence[UUID] = (),
    ) -> DocumentPage:
        """One page of documents, last created first; `ids` (at most 100) limits it to these."""
        request = requests.documents(
            cursor=cursor,
            limit=limit,
            status=status,
            course_id=course_id,
            source=source,
            external_key=external_key,
            ids=ids,
        )
        return await self._call(request, DocumentPage)

    async def documents(
        self,
        *,
        status: DocumentStatus | None = None,
        course_id: str | None = None,
        source: str | None = None,
        external_key: str | None = None,
    ) -> AsyncIterator[DocumentSummary]:
        """Every document, page by page."""
        cursor: str | None = None
        while True:
            page = await self.documents_page(
                cursor=cursor, status=status, course_id=course_id, source=source, external_key=external_key
            )
            for document in page.documents:
                yield document
            cursor = page.next_cursor
            if cursor is None:
                return

    async def document(self, document_id: UUID) -> DocumentDetail:
        """A document with its versions."""
        return await self._call(requests.document(document_id), DocumentDetail)

    async def original(self, document_id: UUID, target: Path, *, version: int | None = None) -> None:
        """Writes the original file of a version (the live one unless named) to `target`."""
        request = requests.original(document_id, version)
        try:
            async with self._http.stream(request.method, request.path, params=request.params) as response:
                if not response.is_success:
                    await response.aread()
                raise_for_problem(response)
                with target.open("wb") as file:
                    async for piece in response.aiter_bytes():
                        await asyncio.to_thread(file.write, piece)
        except httpx.TransportError as error:
            raise unreachable(error, self._http.base_url) from error

    async def delete(self, document_id: UUID) -> None:
        """Deletes a document with all its versions."""
        await self._send(requests.delete(document_id))

    async def cancel(self, document_id: UUID, version: int) -> None:
        """Ends a version under way; the live one keeps serving."""
        await self._send(requests.cancel(document_id, version))

    async def me(self) -> Me:
        """Whose key this is."""
        return await self._call(requests.me(), Me)

    async def organization(self) -> Organization:
        """The key's organisation; needs the scope `admin`."""
        return await self._call(requests.organization(), Organization)

    async def change_organization(self, change: OrganizationChange) -> Organization:
        """Changes the name or the consent to an LLM, and returns what holds now; needs the scope `admin`."""
        return await self._call(requests.change_organization(change), Organization)

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
        call = requests.ask_streamed(request)
        headers = requests.headers_of(call)
        try:
            async with self._http.stream(call.method, call.path, content=call.json, headers=headers) as response:
                if not response.is_success:
                    await response.aread()
                raise_for_problem(response)
                async for line in response.aiter_lines():
                    if (event := read_event(line)) is not None:
                        yield event
        except httpx.TransportError as error:
            raise unreachable(error, self._http.base_url) from error

    async def wait_until_settled(
        self,
        ids: Iterable[UUID],
        on_progress: OnProgress | None = None,
        *,
        timeout: float | None = None,
        poll_seconds: float = 0.5,
    ) -> dict[UUID, DocumentSummary]:
        """Waits until the newest version of every document has ended, well or badly.

        Returns what they came to; a document deleted meanwhile is missing. Raises SkillnetApiError `timeout`
        after `timeout` seconds.
        """
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        settling = Settling(ids, on_progress)
        while not settling.is_over:
            settling.observe(
                [one for batch in settling.batches() for one in (await self.documents_page(ids=batch)).documents]
            )
            if settling.is_over:
                break
            if deadline is not None and asyncio.get_running_loop().time() >= deadline:
                raise SkillnetApiError(ErrorCode.TIMEOUT, None, f"Not every document had ended in {timeout:g} s.")
            await asyncio.sleep(poll_seconds)
        return settling.seen

    async def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply:
        return read_reply(await self._send(request), reply_type)

    async def _send(self, request: ApiRequest) -> httpx.Response:
        attempt = 0
        while True:
            outcome = await self._attempt(request)
            delay = self._retry.delay_after(request, attempt, outcome)
            if delay is None:
                break
            await asyncio.sleep(delay)
            attempt += 1
        if isinstance(outcome, httpx.TransportError):
            raise unreachable(outcome, self._http.base_url) from outcome
        if not is_repeated_delete(request, outcome, attempt):
            raise_for_problem(outcome)
        return outcome

    async def _attempt(self, request: ApiRequest) -> httpx.Response | httpx.TransportError:
        try:
            return await self._http.request(
                request.method,
                request.path,
                params=request.params,
                headers=requests.headers_of(request),
                content=request.content.pieces_async() if request.content else request.json,
            )
        except httpx.TransportError as error:
            return error
