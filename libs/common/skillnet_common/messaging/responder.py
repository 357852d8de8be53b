"""Request/reply in a queue group: every request is answered, errors too, and a rolling stop loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from pydantic import BaseModel, ValidationError

from skillnet_common.contracts.retrieval import ErrorReply
from skillnet_common.errors import ErrorCode, SkillnetError

log = structlog.get_logger(__name__)

ERROR_HEADER = "Skillnet-Error"

MAX_REPLY_BYTES = 900_000
"""Below the server's max_payload of 1 MiB, with room for headers."""

_REPLY_PREFIXES = ("_INBOX", "_R_")
"""Of an inbox, and of the server's own subject for a request from another account."""

RequestHandler = Callable[[bytes, Mapping[str, str]], Awaitable[BaseModel]]
"""(body, headers) -> reply. SkillnetError becomes an error reply with its code."""


class Responder:
    """Answers requests on several subjects with at most `concurrency` at work."""

    def __init__(
        self, client: Client, *, queue: str, handlers: Mapping[str, RequestHandler], concurrency: int
    ) -> None:
        self._client = client
        self._queue = queue
        self._handlers = handlers
        self._free = asyncio.Semaphore(concurrency)
        self._subscriptions: list[Subscription] = []
        self._running: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Subscribes, and returns when the server knows."""
        for subject, handler in self._handlers.items():
            self._subscriptions.append(
                await self._client.subscribe(subject, queue=self._queue, cb=self._accept(handler))
            )
        await self._client.flush()

    async def stop(self) -> None:
        """Takes no more requests, answers those already here, and returns."""
        for subscription in self._subscriptions:
            await subscription.drain()  # type: ignore[no-untyped-call]
        while self._running:
            await asyncio.wait(self._running)

    def _accept(self, handler: RequestHandler) -> Callable[[Msg], Awaitable[None]]:
        async def accept(message: Msg) -> None:
            if not message.reply.startswith(_REPLY_PREFIXES):
                # The answer is published with this service's rights: the requester must not choose any subject.
                log.warning("request_dropped", subject=message.subject, reply=message.reply)
                return
            await self._free.acquire()
            task = asyncio.create_task(self._answer(handler, message))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

        return accept

    async def _answer(self, handler: RequestHandler, message: Msg) -> None:
        headers: dict[str, str] | None = None
        try:
            reply: BaseModel = await handler(message.data, message.headers or {})
        except SkillnetError as error:
            reply = ErrorReply(code=error.code, message=error.message, details=dict(error.details))
        except ValidationError as error:
            reply = ErrorReply(
                code=ErrorCode.INVALID_REQUEST,
                message="The request does not have the form this subject takes.",
                details={"errors": error.errors(include_url=False, include_input=False, include_context=False)},
            )
        except Exception:
            log.exception("request_failed", subject=message.subject)
            reply = ErrorReply(code=ErrorCode.INTERNAL_ERROR, message="An unexpected error; it has been logged.")
        finally:
            self._free.release()
        if isinstance(reply, ErrorReply):
            headers = {ERROR_HEADER: reply.code}
        body = reply.model_dump_json().encode()
        if len(body) > MAX_REPLY_BYTES:
            # A message over the server's limit would close the connection, and with it every other request.
            body = _too_large().model_dump_json().encode()
            headers = {ERROR_HEADER: ErrorCode.PAYLOAD_TOO_LARGE}
        try:
            await self._client.publish(message.reply, body, headers=headers)
        except NatsError as error:
            log.warning("reply_failed", subject=message.subject, error=repr(error))


def _too_large() -> ErrorReply:
    return ErrorReply(
        code=ErrorCode.PAYLOAD_TOO_LARGE,
        message="The reply is too large for the bus. Ask for fewer passages or a smaller token budget.",
    )
