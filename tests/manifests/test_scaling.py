"""KEDA's ScaledObjects: read strictly, held against the topology, and asked of real servers what KEDA would ask."""

from __future__ import annotations

import asyncio
import json
import math
import re
import urllib.request
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from pydantic import ValidationError
from tests.conftest import TEST_MODEL, create_database
from tests.integration.bootstrap.test_monitor_role import add_work
from tests.manifests.code import settings_classes
from tests.manifests.keda import JetStreamTrigger, PostgresTrigger, ScaledObject, TriggerAuthentication
from tests.manifests.kubernetes import config_maps, resources, secrets, workloads

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.temporary import temporary_nats
from skillnet_common.database import ROLES, migrate, register_first_model
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.server_config import MONITORING_PORT
from skillnet_common.messaging.topology import consumer_configs, ensure_topology
from skillnet_common.messaging.users import CORE_ACCOUNT
from skillnet_common.settings import CommonSettings, WorkSettings
from skillnet_dispatcher.domain.fairness import window_size
from skillnet_dispatcher.settings import DispatcherSettings
from skillnet_inference.factory import model_identity
from skillnet_inference.settings import EmbeddingSettings

SCALED = {one["metadata"]["name"]: ScaledObject.model_validate(one) for one in resources("ScaledObject")}
JETSTREAM = {
    name: trigger
    for name, one in SCALED.items()
    for trigger in one.spec.triggers
    if isinstance(trigger, JetStreamTrigger)
}
(BACKLOG,) = [
    trigger for one in SCALED.values() for trigger in one.spec.triggers if isinstance(trigger, PostgresTrigger)
]


@pytest.fixture
def slug(monkeypatch: pytest.MonkeyPatch) -> str:
    """Of the model that the base configures."""
    for name, value in config_maps()["skillnet-embedding"].items():
        monkeypatch.setenv(name, value)
    return model_identity(EmbeddingSettings()).slug


@pytest.fixture
def bus() -> Iterator[EmbeddedNats]:
    with temporary_nats({user.name: user for user in service_users()}) as server:
        yield server


def test_parser_chunker_and_embedder_are_scaled_and_their_deployments_say_no_number() -> None:
    assert set(SCALED) == {"parser", "chunker", "embedder"}
    for name, one in SCALED.items():
        assert one.spec.scaleTargetRef.name == name
        deployment = workloads()[name]
        assert (deployment.kind, "replicas" in deployment.content["spec"]) == ("Deployment", False)
    assert SCALED["embedder"].spec.minReplicaCount >= 1


def test_triggers_name_streams_and_consumers_of_the_topology(slug: str) -> None:
    known = {(stream, consumer.durable_name) for stream, consumer in consumer_configs([slug])}
    for name, trigger in JETSTREAM.items():
        metadata = trigger.metadata
        assert (metadata.stream, metadata.consumer) in known
        assert metadata.consumer.split("-")[0] == name
        assert metadata.account == CORE_ACCOUNT
        host, _, port = metadata.natsServerMonitoringEndpoint.partition(":")
        assert int(port) == MONITORING_PORT
        assert f"//{host}:" in config_maps()["skillnet-bus"]["NATS_URL"]


@pytest.mark.parametrize("name", ["parser", "chunker", "embedder"])
def test_a_full_window_asks_for_one_more_until_there_are_all(name: str) -> None:
    """The dispatcher keeps no more on the bus than the live workers will soon do: that must exceed the threshold."""
    (work,) = [one for one in settings_classes(name) if issubclass(one, WorkSettings)]
    slots = work.model_fields["work_slots"].default
    fields = DispatcherSettings.model_fields
    factor, floor = fields["window_factor"].default, fields["window_floor"].default
    threshold = int(JETSTREAM[name].metadata.lagThreshold)
    for replicas in range(SCALED[name].spec.maxReplicaCount):
        lag = window_size(replicas * slots, factor=factor, floor=floor)
        assert math.ceil(lag / threshold) > replicas
        assert lag > int(JETSTREAM[name].metadata.activationLagThreshold)


def test_the_backlog_is_asked_for_by_the_role_and_with_the_password_of_the_monitor() -> None:
    metadata = BACKLOG.metadata
    assert metadata.userName in ROLES
    assert metadata.userName == "skillnet_monitor"
    (authentication,) = [TriggerAuthentication.model_validate(one) for one in resources("TriggerAuthentication")]
    assert BACKLOG.authenticationRef.name == authentication.metadata.name
    (reference,) = authentication.spec.secretTargetRef
    assert (reference.parameter, reference.key in secrets()[reference.name]) == ("password", True)
    address = secrets()["skillnet-database"]["service-url"]
    assert f"@{metadata.host}:{metadata.port}/{metadata.dbName}" in address


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=20) as reply:  # noqa: S310 - the server's own monitoring page
        content: bytes = reply.read()
        return content


async def test_the_lag_is_found_where_keda_looks_for_it(bus: EmbeddedNats, slug: str) -> None:
    admin = await Bus.connect(CommonSettings(nats_url=bus.url_for("admin"), nats_user="admin"), "test")
    await ensure_topology(admin.jetstream, [slug])
    for subject in ("document.uploaded.o", "document.parsed.o", f"document.chunked.{slug}.o"):
        for _ in range(3):
            await admin.jetstream.publish(subject, b"")
    for trigger in JETSTREAM.values():
        metadata = trigger.metadata
        page = f"{bus.monitoring_url}/jsz?acc={metadata.account}&consumers=true&config=true"
        accounts = json.loads(await asyncio.to_thread(read, page))["account_details"]
        (lag,) = [
            consumer["num_pending"] + consumer["num_ack_pending"]
            for account in accounts
            if account["name"] == metadata.account
            for stream in account["stream_detail"]
            if stream["name"] == metadata.stream
            for consumer in stream["consumer_detail"]
            if consumer["name"] == metadata.consumer
        ]
        assert lag == 3
    await admin.close()


async def test_the_query_gives_the_tokens_that_wait(postgres: EmbeddedPostgres, slug: str) -> None:
    name = f"scaling_{uuid4().hex[:8]}"
    urls = await create_database(postgres, name)
    await migrate(urls.migrator)
    await register_first_model(urls.migrator, **{**TEST_MODEL, "slug": slug})
    admin = await asyncpg.connect(urls.admin)
    monitor = await asyncpg.connect(postgres.url(name, BACKLOG.metadata.userName, "secret"))
    try:
        assert float(await monitor.fetchval(BACKLOG.metadata.query)) == 0
        for cost, state in ((120_000, "waiting"), (90_000, "waiting"), (50_000, "released"), (7, "claimed")):
            await add_work(admin, "embed", cost, state)
        tokens = float(await monitor.fetchval(BACKLOG.metadata.query))
        assert tokens == 210_000
        assert math.ceil(tokens / float(BACKLOG.metadata.targetQueryValue)) == 3
        assert tokens > float(BACKLOG.metadata.activationTargetQueryValue)
    finally:
        await monitor.close()
        await admin.close()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "maxReplicas"), 3),
        (("spec", "triggers", 0, "metadata", "lagTreshold"), "4"),
        (("spec", "triggers", 0, "metadata", "lagThreshold"), 4),
        (("spec", "triggers", 0, "type"), "nats"),
        (("spec", "triggers", 1, "metadata", "connection"), "postgresql://x"),
        (("spec", "triggers", 1, "metadata", "targetQueryValue"), "many"),
        (("spec", "minReplicaCount"), 99),
        (("spec", "advanced", "horizontalPodAutoscalerConfig", "behaviour"), {}),
    ],
)
def test_the_reading_is_strict(path: tuple[str | int, ...], value: object) -> None:
    (content,) = [one for one in resources("ScaledObject") if one["metadata"]["name"] == "embedder"]
    place: Any = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValidationError):
        ScaledObject.model_validate(content)


def test_the_model_is_the_same_in_consumer_and_query(slug: str) -> None:
    (asked,) = re.findall(r"waiting_tokens\('([^']+)'\)", BACKLOG.metadata.query)
    assert asked == slug
    assert JETSTREAM["embedder"].metadata.consumer == f"embedder-{slug}"
