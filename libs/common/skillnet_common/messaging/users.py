"""The users of a NATS server and what each may publish and receive."""

from __future__ import annotations

from dataclasses import dataclass, field

CORE_ACCOUNT = "CORE"
"""The account that owns the streams and answers requests."""


@dataclass(frozen=True, slots=True)
class NatsUser:
    """One user: `publish` and `subscribe` list the only subjects allowed, NATS wildcards included.

    `publish_denied` takes some of them away again. An empty list allows nothing. An empty `password` asks the
    server's owner to generate one and keep it. `allow_responses` lets a service reply to the requests it receives,
    without a right to publish to inboxes.

    A user of another `account` than CORE's reaches what it may publish to through imports of CORE's services, where
    the server puts a subject of its own in place of the reply subject: the user can make nobody publish elsewhere.
    `answers` lists the subjects whose requests it answers from an account of its own: who of the other accounts may
    publish to them reaches it, and not CORE. `hears` lists the subjects of CORE whose messages it is to receive. It
    must be allowed to subscribe to either.
    """

    name: str
    password: str = field(default="", repr=False)
    publish: tuple[str, ...] = ()
    publish_denied: tuple[str, ...] = ()
    subscribe: tuple[str, ...] = ()
    allow_responses: bool = False
    account: str = CORE_ACCOUNT
    answers: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
