"""A pull worker: as many messages as it has free slots, kept alive while worked on, acknowledged at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext

from skillnet_common.messaging.quarantine import Unreadable, quarantine
from skillnet_common.messaging.topology import ACK_WAIT_SECONDS

log = structlog.get_logger(__name__)

Handler = Callable[[Msg], Awaitable[None]]
"""Handles one message. It decides by itself what to do about faults; one that escapes it is redelivered.

Raises Unreadable for a message that nobody can ever handle: it goes to quarantine.
"""

_FETCH_SECONDS = 1.0
_REDELIVER_SECONDS = 5.0
_PAUSE_AFTER_FAULT = 0.5


class PullWorker:
    """Runs `slots` loops over one durable consumer.

    Each loop fetches one message at a time: nothing is prefetched, so nothing is held by a busy worker that an
    idle one could do, and no delivery is spent on a lack of capacity.
    """

    def __init__(self, js: JetStreamContext, *, stream: str, durable: str, handler: Handler, slots: int) -> None:
        self._js = js
        self._stream = stream
        self._durable = durable
        self._handler = handler
        self._slots = slots
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Works until `stop` is called."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._slots):
                group.create_task(self._loop())

    def stop(self) -> None:
        """Fetches nothing more; what is under way goes on to its end."""
        self._stopping.set()

    async def _loop(self) -> None:
        subscription = await self._js.pull_subscribe_bind(durable=self._durable, stream=self._stream)
        while not self._stopping.is_set():
            # Never cancelled: a message on its way to a cancelled fetch would be held until its ack wait ends.
            try:
                messages = await subscription.fetch(1, timeout=_FETCH_SECONDS)
            except (NatsTimeoutError, TimeoutError):
                continue
            except (NatsError, OSError) as error:
                log.warning("fetch_failed", durable=self._durable, error=repr(error))
                await asyncio.sleep(_PAUSE_AFTER_FAULT)
                continue
            for message in messages:
                await self._work(message)
        await _answer(subscription.unsubscribe())

    async def _work(self, message: Msg) -> None:
        heartbeat = asyncio.ensure_future(_keep_alive(message))
        try:
            await self._handler(message)
        except asyncio.CancelledError:
            await _answer(message.nak())
            raise
        except Unreadable as error:
            await self._put_aside(message, str(error))
        except Exception:
            # The row is still waiting or claimed: with the message gone the reconciler would find it. A delay,
            # because a nak without one ignores every back-off.
            log.exception("handler_failed", durable=self._durable, subject=message.subject)
            await _answer(message.nak(delay=_REDELIVER_SECONDS))
        else:
            await _answer(message.ack_sync(timeout=5))
        finally:
            heartbeat.cancel()

    async def _put_aside(self, message: Msg, reason: str) -> None:
        log.error("message_quarantined", durable=self._durable, subject=message.subject, reason=reason)
        try:
            await quarantine(self._js, message, reason)
        except (NatsError, OSError, TimeoutError) as error:
            log.warning("quarantine_failed", error=repr(error))
            await _answer(message.nak(delay=_REDELIVER_SECONDS))
        else:
            await _answer(message.term())


async def _keep_alive(message: Msg) -> None:
    while True:
        await asyncio.sleep(ACK_WAIT_SECONDS / 3)
        await _answer(message.in_progress())


async def _answer(reply: Awaitable[object]) -> None:
    """An answer that does not arrive means one more delivery, which the row's state makes harmless."""
    try:
        await reply
    except (NatsError, OSError, TimeoutError) as error:
        log.warning("acknowledgement_failed", error=repr(error))
