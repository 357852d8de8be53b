"""Messages that nobody can ever read: copied aside for a person to look at, and taken out of their stream."""

from __future__ import annotations

from nats.aio.msg import Msg
from nats.js import JetStreamContext

from skillnet_common.contracts import subjects
from skillnet_common.messaging.topology import MAX_MESSAGE_BYTES

_BODY_BYTES = MAX_MESSAGE_BYTES - 8_192
_PUBLISH_SECONDS = 5.0


class Unreadable(Exception):
    """Raised by a handler: trying the message again cannot help. The text says why."""


async def quarantine(js: JetStreamContext, message: Msg, reason: str) -> None:
    """Copies the message to `quarantine.<stream>`, once however often it is called.

    Raises nats.errors.Error where it is not stored. The headers tell where it stood and why it was taken out.
    """
    place = message.metadata
    await js.publish(
        subjects.quarantine(place.stream),
        message.data[:_BODY_BYTES],
        timeout=_PUBLISH_SECONDS,
        stream=subjects.QUARANTINE_STREAM,
        headers={
            "Nats-Msg-Id": f"{place.stream}:{place.timestamp.isoformat()}:{place.sequence.stream}",
            "Skillnet-Subject": message.subject,
            "Skillnet-Sequence": str(place.sequence.stream),
            "Skillnet-Reason": " ".join(reason.split())[:1_000].encode("ascii", "replace").decode(),
        },
    )
