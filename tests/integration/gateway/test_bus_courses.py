"""Courses over the bus: other teams' services send them, with a key of the organisation."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from nats.aio.client import Client
from pydantic import BaseModel, SecretStr

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.auth import new_key, store_key
from skillnet_common.contracts import subjects
from skillnet_common.contracts.courses import (
    CourseDeleted,
    CourseDeletion,
    CourseOutcome,
    CoursePut,
    CourseReply,
    CourseUpsert,
    LessonPut,
    ModulePut,
)
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.requester import ask
from skillnet_common.runtime import Service
from skillnet_common.settings import CommonSettings
from skillnet_gateway.app import answer_bus, open_api
from skillnet_gateway.settings import GatewaySettings

COURSE = CoursePut(
    title="Acogida",
    modules=[
        ModulePut(
            module_id="m1",
            title="Caja",
            lessons=[LessonPut(lesson_id="l1", title="Devolver", content="El plazo es de 30 días.")],
        )
    ],
)


@pytest.fixture
async def http(database: Database, nats_server: EmbeddedNats, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A gateway that answers the bus, and its HTTP API without a port."""
    user = nats_server.users["gateway"]
    settings = GatewaySettings(
        nats_url=nats_server.url,
        nats_user=user.name,
        nats_password=SecretStr(user.password),
        object_store_url=tmp_path.as_uri(),
    )
    bus = await Bus.connect(settings, "gateway")
    service = Service("gateway", settings, database, bus, "gateway-test")
    async with open_api(service, settings) as api:
        component = answer_bus(service, api.state.gateway)
        running = asyncio.create_task(component.run())
        async with asyncio.timeout(30):
            while True:
                with contextlib.suppress(ConnectionError):
                    await component.check_listening()
                    break
                await asyncio.sleep(0.01)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://gateway") as client:
            yield client
        component.stop()
        await running
    await bus.close()


@pytest.fixture
async def platform(nats_server: EmbeddedNats) -> AsyncIterator[Client]:
    """Another team's service."""
    user = nats_server.users["subscriber"]
    settings = CommonSettings(nats_url=nats_server.url, nats_user=user.name, nats_password=SecretStr(user.password))
    bus = await Bus.connect(settings, "subscriber")
    yield bus.client
    await bus.close()


async def upsert(platform: Client, key: str, course_id: str = "acogida", course: CoursePut = COURSE) -> CourseReply:
    request = CourseUpsert(course_id=course_id, course=course)
    return await ask(platform, subjects.COURSE_UPSERT, request, CourseReply, credential=key, timeout=20)


async def refused(platform: Client, key: str, subject: str, request: BaseModel) -> ErrorCode:
    with pytest.raises(SkillnetError) as caught:
        await ask(platform, subject, request, CourseReply, credential=key, timeout=20)
    return caught.value.code


async def get(http: httpx.AsyncClient, key: str, course_id: str = "acogida") -> httpx.Response:
    return await http.get(f"/v1/courses/{course_id}", headers={"Authorization": f"Bearer {key}"})


async def test_a_course_comes_over_the_bus_once(http: httpx.AsyncClient, platform: Client, api_key: str) -> None:
    assert (await upsert(platform, api_key)).outcome is CourseOutcome.CREATED
    assert (await upsert(platform, api_key)).outcome is CourseOutcome.UNCHANGED
    (module,) = (await get(http, api_key)).json()["modules"]
    assert module["lessons"][0]["content"] == "El plazo es de 30 días."


async def test_the_tenant_is_the_credentials(
    http: httpx.AsyncClient, platform: Client, database: Database, api_key: str, other_org: UUID
) -> None:
    other = new_key()
    await store_key(database, other_org, other, name="other")
    await upsert(platform, other)
    assert (await get(http, other)).status_code == 200
    assert (await get(http, api_key)).status_code == 404
    request = CourseDeletion(course_id="acogida")
    reply = await ask(platform, subjects.COURSE_DELETE, request, CourseDeleted, credential=api_key, timeout=20)
    assert reply.deleted is False
    assert (await get(http, other)).status_code == 200


async def test_a_course_is_deleted_over_the_bus(http: httpx.AsyncClient, platform: Client, api_key: str) -> None:
    await upsert(platform, api_key)
    request = CourseDeletion(course_id="acogida")
    for deleted in (True, False):
        reply = await ask(platform, subjects.COURSE_DELETE, request, CourseDeleted, credential=api_key, timeout=20)
        assert reply.deleted is deleted
    assert (await get(http, api_key)).status_code == 404


class Anything(BaseModel):
    course_id: str = "acogida"
    course: dict[str, object] = {"title": "Sin módulos"}


async def test_faults_carry_the_codes_of_http(
    http: httpx.AsyncClient, platform: Client, database: Database, org: UUID, api_key: str
) -> None:
    reader = new_key()
    await store_key(database, org, reader, name="reader", scopes=["documents:read"])  # type: ignore[list-item]
    request = CourseUpsert(course_id="acogida", course=COURSE)
    assert await refused(platform, "sk_nobody", subjects.COURSE_UPSERT, request) is ErrorCode.UNAUTHORIZED
    assert await refused(platform, reader, subjects.COURSE_UPSERT, request) is ErrorCode.FORBIDDEN
    assert await refused(platform, api_key, subjects.COURSE_UPSERT, Anything()) is ErrorCode.INVALID_REQUEST
