"""Streams and durable consumers: declared here, created by one bootstrap, only bound by services."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.errors import NotFoundError

from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import Stage
from skillnet_common.errors import ErrorCode, PermanentFault

ACK_WAIT_SECONDS = 30.0
DEDUP_SECONDS = 600.0
EVENT_DAYS = 7.0
MAX_MESSAGE_BYTES = 256 * 1024
NOTIFIER_DURABLE = "notifier"
NOTIFIER_SUBJECTS = ("document.updated.*.*", "document.deleted.*.*")

_DAY = 86_400.0


def stream_configs() -> list[StreamConfig]:
    """The three streams.

    Work is shallow (the database is the deep queue) and refuses rather than drops when full. Events stay for
    days, so that a new subscriber can replay them. Quarantine keeps what nobody could read.
    """
    return [
        StreamConfig(
            name=subjects.WORK_STREAM,
            subjects=list(subjects.WORK_SUBJECTS),
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            discard=DiscardPolicy.NEW,
            max_msgs=200_000,
            max_msg_size=MAX_MESSAGE_BYTES,
            duplicate_window=DEDUP_SECONDS,
        ),
        StreamConfig(
            name=subjects.EVENT_STREAM,
            subjects=list(subjects.EVENT_SUBJECTS),
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=EVENT_DAYS * _DAY,
            max_msg_size=MAX_MESSAGE_BYTES,
            duplicate_window=DEDUP_SECONDS,
        ),
        StreamConfig(
            name=subjects.QUARANTINE_STREAM,
            subjects=["quarantine.>"],
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=30 * _DAY,
            max_msg_size=MAX_MESSAGE_BYTES,
            duplicate_window=DEDUP_SECONDS,
        ),
    ]


def consumer_configs(model_slugs: Iterable[str]) -> list[tuple[str, ConsumerConfig]]:
    """(stream, consumer) for each stage, an embedder for each model, and the notifier.

    `max_deliver` is unlimited: attempts are counted in the row, where a redelivery costs nothing.
    """
    work = [
        (Stage.PARSE, None),
        (Stage.CHUNK, None),
        *((Stage.EMBED, slug) for slug in model_slugs),
    ]
    configs = [
        (
            subjects.WORK_STREAM,
            _durable(subjects.work_durable(stage, slug), subjects.work_filter(stage, slug)),
        )
        for stage, slug in work
    ]
    configs.append(
        (subjects.EVENT_STREAM, _durable(NOTIFIER_DURABLE, *NOTIFIER_SUBJECTS)),
    )
    return configs


def _durable(name: str, *filters: str) -> ConsumerConfig:
    return ConsumerConfig(
        durable_name=name,
        filter_subject=filters[0] if len(filters) == 1 else None,
        filter_subjects=list(filters) if len(filters) > 1 else None,
        deliver_policy=DeliverPolicy.ALL,
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ACK_WAIT_SECONDS,
        max_deliver=-1,
        max_ack_pending=1_000,
    )


async def ensure_topology(js: JetStreamContext, model_slugs: Iterable[str]) -> list[str]:
    """Creates what is missing and returns its names; safe to repeat.

    Raises PermanentFault `topology_drift` where a stream or consumer exists with other values: it is never
    changed silently.
    """
    created = []
    for stream in stream_configs():
        try:
            info = await js.stream_info(_name(stream.name))
        except NotFoundError:
            await js.add_stream(stream)
            created.append(_name(stream.name))
        else:
            _check(f"stream {stream.name}", stream, info.config)
    for stream_name, consumer in consumer_configs(model_slugs):
        try:
            existing = await js.consumer_info(stream_name, _name(consumer.durable_name))
        except NotFoundError:
            await js.add_consumer(stream_name, consumer)
            created.append(f"{stream_name}/{consumer.durable_name}")
        else:
            _check(f"consumer {consumer.durable_name}", consumer, existing.config)
    return created


def _name(value: str | None) -> str:
    if value is None:
        raise ValueError("a stream or consumer without a name")
    return value


def _check(what: str, wanted: StreamConfig | ConsumerConfig, found: Any) -> None:
    differences = [
        f"{field} is {getattr(found, field)!r}, not {value!r}"
        for field, value in vars(wanted).items()
        if value is not None and _plain(getattr(found, field)) != _plain(value)
    ]
    if differences:
        raise PermanentFault(
            ErrorCode.TOPOLOGY_DRIFT,
            f"The NATS {what} differs from this version's: {'; '.join(differences)}."
            " Change it by hand, or delete it: the database still knows all work.",
        )


def _plain(value: Any) -> Any:
    value = getattr(value, "value", value)
    return sorted(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else value
