"""What each service may publish and receive. A parser cannot publish `document.updated`.

The owners of the streams (admin, dispatcher) and the responder (retriever) share the account CORE. Every other user
has an account of its own: within CORE a request's reply subject may be any subject, and the answer is published with
the server's rights or the responder's rather than the requester's. The gateway answers requests about courses from
its own account, which exports them.
"""

from __future__ import annotations

from skillnet_common.contracts import subjects
from skillnet_common.contracts.events import EVENT_TYPES
from skillnet_common.contracts.work import Stage
from skillnet_common.messaging.topology import NOTIFIER_DURABLE
from skillnet_common.messaging.users import CORE_ACCOUNT, NatsUser

SUBSCRIBER = "subscriber"
"""The user of other teams' services: reads events, asks questions, sends courses."""

_COURSES = (subjects.COURSE_UPSERT, subjects.COURSE_DELETE)


def service_users() -> list[NatsUser]:
    """One user a service, one for other teams (`subscriber`), one for the bootstrap (`admin`)."""
    work, events = subjects.WORK_STREAM, subjects.EVENT_STREAM
    parser, chunker = subjects.work_durable(Stage.PARSE), subjects.work_durable(Stage.CHUNK)
    return [
        NatsUser("admin", publish=(">",), subscribe=(">",)),
        _user(
            "gateway",
            account="GATEWAY",
            publish=("retrieval.v1.>",),
            subscribe=_COURSES,
            answers=_COURSES,
            allow_responses=True,
        ),
        _dispatcher(),
        _worker("parser", work, parser),
        _worker("chunker", work, chunker),
        # A durable a model, whose names are not known here: every one of the stream but the other services'.
        _worker("embedder", work, "*", denied=(*_consumer(work, parser), *_consumer(work, chunker))),
        _user("retriever", subscribe=("retrieval.v1.>",), allow_responses=True),
        _worker("notifier", events, NOTIFIER_DURABLE),
        _subscriber(),
    ]


def _dispatcher() -> NatsUser:
    work, events = subjects.WORK_STREAM, subjects.EVENT_STREAM
    streams = (work, events, subjects.QUARANTINE_STREAM)
    return _user(
        "dispatcher",
        publish=(
            *subjects.WORK_SUBJECTS,
            *subjects.EVENT_SUBJECTS,
            f"$JS.API.STREAM.MSG.GET.{work}",
            # Lost streams and consumers are made again; changing or deleting a stream stays the bootstrap's.
            *(f"$JS.API.STREAM.INFO.{stream}" for stream in streams),
            *(f"$JS.API.STREAM.CREATE.{stream}" for stream in streams),
            *(f"$JS.API.CONSUMER.INFO.{stream}.*" for stream in (work, events)),
            f"$JS.API.CONSUMER.DURABLE.CREATE.{work}.*",
            f"$JS.API.CONSUMER.DURABLE.CREATE.{events}.{NOTIFIER_DURABLE}",
        ),
    )


def _subscriber() -> NatsUser:
    events = subjects.EVENT_STREAM
    # As they happen, without a stream in between; `document.>` would let work through.
    happening = tuple(f"{event.name}.>" for event in EVENT_TYPES)
    return _user(
        SUBSCRIBER,
        account="SUBSCRIBER",
        publish=(
            "retrieval.v1.>",
            *_COURSES,
            f"$JS.API.STREAM.INFO.{events}",
            "$JS.API.STREAM.NAMES",
            # Not without a name in the subject: the one in the body could be another's.
            f"$JS.API.CONSUMER.CREATE.{events}.>",
            f"$JS.API.CONSUMER.DURABLE.CREATE.{events}.*",
            f"$JS.API.CONSUMER.INFO.{events}.*",
            f"$JS.API.CONSUMER.MSG.NEXT.{events}.*",
            f"$JS.API.CONSUMER.DELETE.{events}.*",
            f"$JS.ACK.{events}.>",
            f"$JS.FC.{events}.>",
        ),
        denied=_consumer(events, NOTIFIER_DURABLE),
        subscribe=happening,
        # A push consumer delivers to an inbox from within CORE.
        hears=(*happening, f"_INBOX_{SUBSCRIBER}.>"),
    )


def _user(
    name: str,
    *,
    publish: tuple[str, ...] = (),
    denied: tuple[str, ...] = (),
    subscribe: tuple[str, ...] = (),
    allow_responses: bool = False,
    account: str = CORE_ACCOUNT,
    answers: tuple[str, ...] = (),
    hears: tuple[str, ...] = (),
) -> NatsUser:
    # Each user has an inbox prefix of its own, so that nobody can listen to another's replies.
    return NatsUser(
        name,
        publish=publish,
        publish_denied=denied,
        subscribe=(f"_INBOX_{name}.>", *subscribe),
        allow_responses=allow_responses,
        account=account,
        answers=answers,
        hears=hears,
    )


def _worker(name: str, stream: str, durable: str, *, denied: tuple[str, ...] = ()) -> NatsUser:
    """Takes from one durable consumer; may put unreadable messages aside."""
    return _user(
        name,
        account=name.upper(),
        publish=(
            f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
            f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
            f"$JS.ACK.{stream}.{durable}.>",
            subjects.quarantine(stream),
        ),
        denied=denied,
    )


def _consumer(stream: str, durable: str) -> tuple[str, ...]:
    """Everything that can be done to or with a consumer."""
    return (
        f"$JS.API.CONSUMER.*.{stream}.{durable}",
        f"$JS.API.CONSUMER.*.{stream}.{durable}.>",
        f"$JS.API.CONSUMER.*.*.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
    )
