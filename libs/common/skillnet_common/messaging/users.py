"""The users of a NATS server and what each may publish and receive."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NatsUser:
    """One user: `publish` and `subscribe` list the only subjects allowed, NATS wildcards included.

    `publish_denied` takes some of them away again. An empty list allows nothing. An empty `password` asks the
    server's owner to generate one and keep it. `allow_responses` lets a service reply to the requests it receives,
    without a right to publish to inboxes.
    """

    name: str
    password: str = field(default="", repr=False)
    publish: tuple[str, ...] = ()
    publish_denied: tuple[str, ...] = ()
    subscribe: tuple[str, ...] = ()
    allow_responses: bool = False
