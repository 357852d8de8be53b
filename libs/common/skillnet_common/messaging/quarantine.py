"""Messages that nobody can ever read: copied aside for a person to look at, and taken out of their stream."""

from __future__ import annotations

from nats.aio.msg import Msg
from nats.js import JetStreamContext

from skillnet_common.contracts import subjects
from skillnet_common.messaging.topology import MAX_MESSAGE_BYTES

_BODY_BYTES = MAX_MESSAGE_BYTES - 8_192
_HEADER_BYTES = 4_096
_PUBLISH_SECONDS = 5.0

OWN_PREFIXES = ("Nats-", "Skillnet-")
"""Headers of the bus and of the quarantine: no part of the message as it was sent."""


def is_cut_short(body: bytes) -> bool:
    """Whether a body in quarantine may be only the beginning of the message's."""
    return len(body) >= _BODY_BYTES


class Unreadable(Exception):
    """Raised by a handler: trying the message again cannot help. The text says why."""


async def quarantine(js: JetStreamContext, message: Msg, reason: str) -> None:
    """Copies the message to `quarantine.<stream>`, once however often it is called.

    Raises nats.errors.Error where it is not stored. The headers tell where it stood and why it was taken out; its own
    stand beside them where they are not large, so that it can be sent again as it was.
    """
    place = message.metadata
    await js.publish(
        subjects.quarantine(place.stream),
        message.data[:_BODY_BYTES],
        timeout=_PUBLISH_SECONDS,
        stream=subjects.QUARANTINE_STREAM,
        headers={
            **_own_headers(message),
            "Nats-Msg-Id": f"{place.stream}:{place.timestamp.isoformat()}:{place.sequence.stream}",
            "Skillnet-Subject": message.subject,
            "Skillnet-Sequence": str(place.sequence.stream),
            "Skillnet-Reason": " ".join(reason.split())[:1_000].encode("ascii", "replace").decode(),
        },
    )


def _own_headers(message: Msg) -> dict[str, str]:
    own = {name: value for name, value in (message.headers or {}).items() if not name.startswith(OWN_PREFIXES)}
    size = sum(len(name.encode()) + len(value.encode()) + 4 for name, value in own.items())
    return own if size <= _HEADER_BYTES else {}
