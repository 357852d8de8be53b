"""`skillnet dlq` as it is typed, against a gateway and a bus."""

from __future__ import annotations

import asyncio
import json
import subprocess
from uuid import UUID, uuid4

import pytest
from tests.e2e.system import run_skillnet
from tests.integration.gateway.test_http_quarantine import given_up
from tests.integration.versions.pipeline import Pipeline

from skillnet_cli.exits import Exit
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.database import Database
from skillnet_common.messaging.connection import Bus
from skillnet_common.settings import CommonSettings

from .conftest import RunningGateway

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def pipeline(database: Database, org: UUID) -> Pipeline:
    return Pipeline(database, org)


async def dlq(environment: dict[str, str], *arguments: str) -> Done:
    return await asyncio.to_thread(run_skillnet, "dlq", *arguments, environment=environment)


async def test_work_is_listed_shown_and_replayed(gateway: RunningGateway, api_key: str, pipeline: Pipeline) -> None:
    environment = {"SKILLNET_URL": gateway.url, "SKILLNET_API_KEY": api_key}
    work_id, other, outrun = [str(await given_up(pipeline, key)) for key in ("[uno]", "dos", "tres")]
    await pipeline.upload("tres", "newer")
    await pipeline.drain()
    listed = await dlq(environment, "list", "--json")
    assert [one["work_id"] for one in json.loads(listed.stdout)] == [outrun, other, work_id]
    table, shown = await dlq(environment, "list"), await dlq(environment, "show", work_id)
    assert all(word in table.stdout for word in (work_id, "[uno]", "it hurts", "1 (outrun)")), table.stdout
    assert all(word in shown.stdout for word in ("[uno]", "parse", "it hurts"))
    one = await dlq(environment, "replay", work_id, str(uuid4()))
    assert one.returncode == Exit.FAILED, "the second is unknown, which stops not the first"
    assert "version 1 goes on from parse" in one.stdout
    unknown = await dlq(environment, "replay", str(uuid4()))
    assert unknown.returncode == (await dlq(environment, "show", str(uuid4()))).returncode == Exit.NOT_FOUND
    rest = await dlq(environment, "replay", "--all", "--json")
    assert (rest.returncode, [result["work_id"] for result in json.loads(rest.stdout)]) == (Exit.OK, [other])
    refused = await dlq(environment, "replay", outrun, "--json")
    assert (refused.returncode, json.loads(refused.stdout)[0]["code"]) == (Exit.FAILED, "version_outrun")


async def test_unreadable_messages_of_the_bus(nats_server: EmbeddedNats, topology: list[str]) -> None:
    admin = nats_server.users["admin"]
    environment = {"NATS_URL": nats_server.url, "NATS_USER": admin.name, "NATS_PASSWORD": admin.password}
    bus = await Bus.connect(CommonSettings(nats_url=nats_server.url_for("admin"), nats_user="admin"), "test")
    try:
        js = bus.jetstream
        await js.purge_stream(subjects.QUARANTINE_STREAM)
        subject = f"document.uploaded.{uuid4()}"
        for body in (b'{"a": "[x]"}', b"\xff\x00", b"three"):
            await js.publish(
                subjects.quarantine(subjects.WORK_STREAM),
                body,
                headers={"Skillnet-Subject": subject, "Skillnet-Sequence": "7", "Skillnet-Reason": "no JSON"},
            )
        listed = json.loads((await dlq(environment, "bus", "list", "--json")).stdout)
        assert [(one["subject"], one["reason"], one["body"]) for one in listed] == [
            (subject, "no JSON", '{"a": "[x]"}'),
            (subject, "no JSON", "ff 00"),
            (subject, "no JSON", "three"),
        ]
        first, second, third = (str(one["sequence"]) for one in listed)
        shown = (await dlq(environment, "bus", "show", first)).stdout
        assert all(word in shown for word in (subject, "no JSON", '{"a": "[x]"}'))
        before = (await js.stream_info(subjects.WORK_STREAM)).state.messages
        sent = await dlq(environment, "bus", "replay", first)
        assert (sent.returncode, sent.stdout) == (Exit.OK, f"{first}: sent again\n"), sent.stderr
        assert (await js.stream_info(subjects.WORK_STREAM)).state.messages == before + 1
        dropped = await dlq(environment, "bus", "drop", second, "999999")
        assert (dropped.returncode, f"{second}: dropped" in dropped.stdout) == (Exit.FAILED, True)
        assert (await dlq(environment, "bus", "drop", "--all")).stdout == f"{third}: dropped\n"
        assert (await js.stream_info(subjects.QUARANTINE_STREAM)).state.messages == 0
        await js.purge_stream(subjects.WORK_STREAM, subject=subject)
    finally:
        await bus.close()
