"""What each service may publish and receive. A parser cannot publish `document.updated`."""

from __future__ import annotations

from skillnet_common.contracts.work import Stage
from skillnet_common.messaging import subjects
from skillnet_common.messaging.topology import NOTIFIER_DURABLE
from skillnet_common.messaging.users import NatsUser

SUBSCRIBER = "subscriber"
"""The user of other teams' services: reads events, asks questions."""


def service_users() -> list[NatsUser]:
    """One user a service, one for other teams (`subscriber`), one for the bootstrap (`admin`)."""
    work, events = subjects.WORK_STREAM, subjects.EVENT_STREAM
    streams = (work, events, subjects.QUARANTINE_STREAM)
    return [
        NatsUser("admin", publish=(">",), subscribe=(">",)),
        _user("gateway", publish=("retrieval.v1.>",)),
        _user(
            "dispatcher",
            publish=(
                *subjects.WORK_SUBJECTS,
                *subjects.EVENT_SUBJECTS,
                f"$JS.API.STREAM.MSG.GET.{work}",
                # Lost streams and consumers are made again; changing or deleting one stays the bootstrap's.
                *(f"$JS.API.STREAM.INFO.{stream}" for stream in streams),
                *(f"$JS.API.STREAM.CREATE.{stream}" for stream in streams),
                *(f"$JS.API.CONSUMER.INFO.{stream}.*" for stream in (work, events)),
                f"$JS.API.CONSUMER.DURABLE.CREATE.{work}.*",
                f"$JS.API.CONSUMER.DURABLE.CREATE.{events}.{NOTIFIER_DURABLE}",
            ),
        ),
        _worker("parser", work, subjects.work_durable(Stage.PARSE)),
        _worker("chunker", work, subjects.work_durable(Stage.CHUNK)),
        _worker("embedder", work, subjects.work_durable(Stage.EMBED, "*")),
        _user("retriever", subscribe=("retrieval.v1.>",), allow_responses=True),
        _worker("notifier", events, NOTIFIER_DURABLE),
        _user(
            SUBSCRIBER,
            publish=(
                "retrieval.v1.>",
                f"$JS.API.STREAM.INFO.{events}",
                "$JS.API.STREAM.NAMES",
                f"$JS.API.CONSUMER.CREATE.{events}",  # of one without a name
                f"$JS.API.CONSUMER.CREATE.{events}.>",
                f"$JS.API.CONSUMER.DURABLE.CREATE.{events}.>",
                f"$JS.API.CONSUMER.INFO.{events}.*",
                f"$JS.API.CONSUMER.MSG.NEXT.{events}.*",
                f"$JS.API.CONSUMER.DELETE.{events}.*",
                f"$JS.ACK.{events}.>",
                "$JS.FC.>",
            ),
            subscribe=tuple(subjects.EVENT_SUBJECTS),
        ),
    ]


def _user(
    name: str,
    *,
    publish: tuple[str, ...] = (),
    subscribe: tuple[str, ...] = (),
    allow_responses: bool = False,
) -> NatsUser:
    # Each user has an inbox prefix of its own, so that nobody can listen to another's replies.
    return NatsUser(
        name, publish=publish, subscribe=(f"_INBOX_{name}.>", *subscribe), allow_responses=allow_responses
    )


def _worker(name: str, stream: str, durable: str) -> NatsUser:
    wildcard = "*" if durable.endswith("*") else durable
    return _user(
        name,
        publish=(
            f"$JS.API.CONSUMER.INFO.{stream}.{wildcard}",
            f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{wildcard}",
            f"$JS.ACK.{stream}.{wildcard}.>",
            subjects.quarantine(stream),
        ),
    )
