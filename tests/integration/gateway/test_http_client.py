"""The typed clients against a real gateway: both the same way."""

from __future__ import annotations

import asyncio
import inspect
import io
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.integration.gateway.test_http_quarantine import given_up
from tests.integration.versions.pipeline import Pipeline

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_client import AsyncSkillnetClient, RetryPolicy, SkillnetApiError, SkillnetClient, UploadOptions
from skillnet_common.contracts.answers import AskEventKind
from skillnet_common.contracts.documents import DocumentChange, DocumentStatus, VersionState
from skillnet_common.contracts.keys import Key, KeyRequest, Scope
from skillnet_common.contracts.organizations import ChunkLimitsChange, Consents, OrganizationChange
from skillnet_common.contracts.reprocessing import ReprocessReply, ReprocessRequest
from skillnet_common.contracts.retrieval import SearchRequest
from skillnet_common.contracts.usage import UsageKind
from skillnet_common.database import Database

from .conftest import MAX_UPLOAD, RunningGateway
from .doubles import retriever_double
from .reading import read_version
from .test_http_documents import make_live

Call = Callable[..., Awaitable[Any]]
"""Calls a method of the client by its name; an iterator comes back as a list."""


async def call_sync(client: SkillnetClient, name: str, *arguments: Any, **named: Any) -> Any:
    def run() -> Any:
        result = getattr(client, name)(*arguments, **named)
        return list(result) if inspect.isgenerator(result) else result

    return await asyncio.to_thread(run)


async def call_async(client: AsyncSkillnetClient, name: str, *arguments: Any, **named: Any) -> Any:
    result = getattr(client, name)(*arguments, **named)
    return [one async for one in result] if inspect.isasyncgen(result) else await result


@pytest.fixture(params=["sync", "async"])
async def call(request: pytest.FixtureRequest, gateway: RunningGateway, api_key: str) -> AsyncIterator[Call]:
    retry = RetryPolicy(retries=1, first_delay=0.01)
    if request.param == "sync":
        with SkillnetClient(gateway.url, api_key, retry=retry) as client:
            yield lambda name, *args, **named: call_sync(client, name, *args, **named)
    else:
        async with AsyncSkillnetClient(gateway.url, api_key, retry=retry) as aclient:
            yield lambda name, *args, **named: call_async(aclient, name, *args, **named)


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {name: list(inspect.signature(one).parameters) for name, one in found if not name.startswith("_")}

    assert methods(SkillnetClient) == methods(AsyncSkillnetClient)


async def test_a_documents_life(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "manual de caja.md"
    path.write_bytes(b"# Caja\n" * 10_000)
    options = UploadOptions(title="Caja", courses=["c1"], metadata={"área": 1}, external_key="caja")
    first = await call("upload", path, options)
    assert (first.version, first.outcome) == (1, "created")
    assert (await call("upload", path, options)).outcome == "unchanged"
    second = await call("upload_version", first.document_id, b"dos")
    assert (second.document_id, second.version) == (first.document_id, 2)
    document = await call("document", first.document_id)
    assert (document.title, document.courses, document.metadata) == ("Caja", ["c1"], {"área": 1})
    assert [version.file_name for version in document.versions] == ["manual de caja.md"] * 2
    await call("original", first.document_id, tmp_path / "copia", version=1)
    assert (tmp_path / "copia").read_bytes() == path.read_bytes()
    await call("cancel", first.document_id, 2)
    await call("delete", first.document_id)
    with pytest.raises(SkillnetApiError) as error:
        await call("document", first.document_id)
    assert (error.value.code, error.value.status) == ("not_found", 404)
    assert error.value.request_id


async def test_what_is_said_of_a_document(call: Call) -> None:
    made = await call("upload", b"x", UploadOptions(filename="a.md", subject_id="s", taxonomy="rrhh/nómina"))
    changed = await call("change_document", made.document_id, DocumentChange(title="Nuevo", subject_id=None))
    assert (changed.title, changed.subject_id, changed.taxonomy) == ("Nuevo", None, "rrhh/nómina")
    assert changed == await call("document", made.document_id)


async def test_every_filter_of_a_list(call: Call) -> None:
    options = UploadOptions(
        filename="a.md", subject_id="s", entity_id="e", taxonomy="rrhh/nómina", title="Año nuevo",
        metadata={"a": 1, "b": True}, courses=["c"], source="wiki", external_key="k",
    )  # fmt: skip
    made = await call("upload", b"x", options)
    await call("upload", b"x", UploadOptions(filename="b.md"))
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    for filters in (
        {"status": DocumentStatus.PENDING, "subject_id": "s", "entity_id": "e", "taxonomy_prefix": "rrhh"},
        {"title": "ano", "metadata": {"a": 1, "b": True}, "updated_after": long_ago},
        {"source": "wiki", "external_key": "k", "course_id": "c", "updated_before": datetime(2100, 1, 1)},  # noqa: DTZ001
    ):
        assert [one.document_id for one in await call("documents", **filters)] == [made.document_id], filters
    assert await call("documents", updated_before=long_ago) == []
    assert await call("documents", language="es", file_type="pdf") == []


async def test_what_a_version_holds(call: Call, database: Database, org: UUID) -> None:
    made = await call("upload", b"x", UploadOptions(filename="a.pdf"))
    with pytest.raises(SkillnetApiError) as error:
        await call("outline", made.document_id)
    assert (error.value.code, error.value.details) == ("contents_missing", {"version": 1})
    await read_version(database, org, str(made.document_id), 1, chunks=120)
    outline = await call("outline", made.document_id, version=1)
    assert [section.heading for section in outline.sections] == ["", "Devoluciones", "Sin recibo"]
    chunks = await call("chunks", made.document_id)
    assert [chunk.chunk_index for chunk in chunks] == list(range(120))
    assert await call("chunk", made.document_id, chunks[7].chunk_id) == chunks[7]


async def test_an_archive(call: Call) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.md", b"x")
        archive.writestr("b.md", b"")
    *files, summary = await call("upload_archive", buffer.getvalue(), UploadOptions(courses=["c1"], source="wiki"))
    assert [(file.path, file.outcome, file.code) for file in files] == [
        ("a.md", "created", None),
        ("b.md", "refused", "empty_file"),
    ]
    assert (summary.counts, summary.not_tried) == ({"created": 1, "refused": 1}, 0)
    assert (await call("document", files[0].document_id)).courses == ["c1"]
    with pytest.raises(ValueError, match="differ by file"):
        await call("upload_archive", b"x", UploadOptions(title="t"))
    with pytest.raises(SkillnetApiError) as error:
        await call("upload_archive", b"no zip")
    assert error.value.code == "unsupported_type"


async def test_progress_is_followed_to_its_end(call: Call, database: Database, org: UUID) -> None:
    made = await call("upload", b"x", UploadOptions(filename="a.pdf"))
    following = asyncio.ensure_future(call("progress", made.document_id))
    await asyncio.sleep(0.3)
    await read_version(database, org, str(made.document_id), 1)
    await asyncio.sleep(0.8)
    await call("cancel", made.document_id, 1)
    async with asyncio.timeout(30):
        events = await following
    assert [event.state for event in events][:: len(events) - 1] == ["uploaded", "cancelled"]
    assert events[-1].ending == "cancelled"
    with pytest.raises(SkillnetApiError) as error:
        await call("progress", uuid4())
    assert error.value.code == "not_found"


async def test_the_organizations_consent(call: Call, org: UUID) -> None:
    organization = await call("organization")
    assert (organization.org_id, organization.name) == (org, "Panadería de prueba")
    assert organization.consents == Consents()
    changed = await call("change_organization", OrganizationChange(llm_consent=True))
    assert changed == await call("organization")
    assert (changed.name, changed.llm_consent) == ("Panadería de prueba", True)


async def test_other_sizes_of_chunks_and_what_they_make_outdated(call: Call, database: Database, org: UUID) -> None:
    made = await call("upload", b"uno", UploadOptions(filename="a.md"))
    await read_version(database, org, str(made.document_id), 1, chunks=1)
    await make_live(database, org, str(made.document_id), 1)
    assert (await call("reprocess")).started == []
    sizes = ChunkLimitsChange(max_tokens=128, min_tokens=20)
    changed = await call("change_organization", OrganizationChange(chunks=sizes))
    assert (changed.chunks.max_tokens, changed.chunks.own) == (128, ["max_tokens", "min_tokens"])
    assert await call("reprocess", ReprocessRequest(dry_run=True)) == ReprocessReply(started=[], outdated=1)
    reply = await call("reprocess", ReprocessRequest(document_ids=[made.document_id]))
    assert [(one.document_id, one.version, one.stage) for one in reply.started] == [(made.document_id, 2, "chunk")]
    assert reply.outdated == 0
    back = await call("change_organization", OrganizationChange(chunks=ChunkLimitsChange(max_tokens=None)))
    assert back.chunks.own == ["min_tokens"]


async def test_keys(call: Call) -> None:
    made = await call("create_key", KeyRequest(name="lectora", audience=["cajas"]))
    plain = await call("create_key", "sola")
    assert (plain.scopes, plain.audience) == ([Scope.READ], None)
    assert made.api_key not in repr(made)
    shown = await call("key", made.key_id)
    assert shown == Key(**made.model_dump())
    assert [key.name for key in await call("keys")] == ["test", "lectora", "sola"]
    await call("revoke_key", made.key_id)
    assert (await call("key", made.key_id)).revoked_at is not None
    own = (await call("me")).key_id
    with pytest.raises(SkillnetApiError) as error:
        await call("revoke_key", own)
    assert (error.value.code, error.value.status) == ("last_admin_key", 409)
    await call("revoke_key", own, force=True)


async def test_usage(call: Call) -> None:
    await call("upload", b"x", UploadOptions(filename="a.md"))
    usage = await call("usage")
    assert {total.kind: total.amount for total in usage.totals} == {
        UsageKind.DOCUMENTS_UPLOADED: 1,
        UsageKind.BYTES_UPLOADED: 1,
    }
    assert usage.storage.documents == 1
    before = await call("usage", first=date(2020, 1, 1), last=date(2020, 1, 2))
    assert (before.first_day, before.last_day, before.days) == (date(2020, 1, 1), date(2020, 1, 2), [])


async def test_the_prompts_template(call: Call) -> None:
    assert (await call("prompt_template")).is_default
    now = await call("set_prompt_template", "Hola. {context}{question}")
    assert now == await call("prompt_template")
    with pytest.raises(SkillnetApiError) as error:
        await call("set_prompt_template", "Hola. {question}")
    assert error.value.code == "invalid_template"
    assert (await call("reset_prompt_template")).is_default
    assert [one.template for one in (await call("prompt_history")).versions] == [None, "Hola. {context}{question}"]


async def test_every_page_is_read(call: Call) -> None:
    for n in range(3):
        await call("upload", b"x", UploadOptions(filename=f"{n}.md", courses=["c"] if n else None))
    page = await call("documents_page", limit=2)
    assert [document.external_key for document in page.documents] == ["2.md", "1.md"]
    assert [document.external_key for document in await call("documents")] == ["2.md", "1.md", "0.md"]
    assert [document.external_key for document in await call("documents", course_id="c")] == ["2.md", "1.md"]
    assert await call("documents", status=DocumentStatus.READY) == []


async def test_errors_are_typed(call: Call) -> None:
    with pytest.raises(SkillnetApiError) as error:
        await call("upload", b"x" * (MAX_UPLOAD + 1), UploadOptions(filename="a.md"))
    assert (error.value.code, error.value.status) == ("payload_too_large", 413)
    assert error.value.details == {"max_bytes": MAX_UPLOAD}
    with pytest.raises(SkillnetApiError) as error:
        await call("upload", b"x", UploadOptions(filename="a.md", audience=["a,b"]))
    assert error.value.code == "invalid_request"
    assert error.value.errors[0].location[:2] == ["query", "audience"]
    with pytest.raises(SkillnetApiError) as error:
        await call("search", "x")
    assert (error.value.code, error.value.status) == ("unavailable", 503)


async def test_waiting_until_everything_has_ended(call: Call, database: Database, org: UUID) -> None:
    ids = [(await call("upload", b"x", UploadOptions(filename=f"{n}.md"))).document_id for n in range(2)]
    told: list[int] = []

    async def work() -> None:
        await asyncio.sleep(0.15)
        async with database.tenant(org) as connection:
            await connection.execute("UPDATE document_versions SET state = 'ready'")

    working = asyncio.create_task(work())
    found = await call(
        "wait_until_settled", [*ids, uuid4()], lambda documents: told.append(len(documents)), poll_seconds=0.05
    )
    await working
    assert {one: seen.newest_state for one, seen in found.items()} == dict.fromkeys(ids, VersionState.READY)
    assert len(told) > 1
    assert set(told) == {2}


async def test_waiting_ends_in_time(call: Call) -> None:
    reply = await call("upload", b"x", UploadOptions(filename="a.md"))
    with pytest.raises(SkillnetApiError) as error:
        await call("wait_until_settled", [reply.document_id], timeout=0.1, poll_seconds=0.02)
    assert (error.value.code, error.value.status) == ("timeout", None)


async def test_questions(call: Call, nats_server: EmbeddedNats) -> None:
    async with retriever_double(nats_server) as double:
        assert (await call("search", SearchRequest(query="x", limit=3))).passages == []
        assert double.asked[0][1].limit == 3  # type: ignore[attr-defined]
        assert len((await call("context", "x")).sources) == 2
        assert (await call("ground", "x")).rung == "chunks"
        assert "[Fuente 1]" in (await call("ask", "¿Qué plazo de devolución hay?")).answer
        events = await call("ask_streamed", "¿Qué plazo de devolución hay?")
    kinds = [AskEventKind.GROUND, AskEventKind.DELTA, AskEventKind.CITATION, AskEventKind.DONE]
    assert [event.kind for event in events] == kinds
    assert (await call("me")).organization == "Panadería de prueba"


@pytest.mark.parametrize("kind", [SkillnetClient, AsyncSkillnetClient])
async def test_a_gateway_that_is_not_there(kind: type[Any]) -> None:
    client = kind("http://127.0.0.1:1", "sk_x", retry=RetryPolicy(retries=1, first_delay=0.01))
    call = call_sync if kind is SkillnetClient else call_async
    with pytest.raises(SkillnetApiError) as error:
        await call(client, "me")
    assert (error.value.code, error.value.status) == ("unavailable", None)
    assert "127.0.0.1:1" in error.value.detail
    await call_sync(client, "close") if kind is SkillnetClient else await client.close()


class Flaky:
    """A server that breaks the connection on the first attempts, after it has read the request."""

    def __init__(self, target: str, breaks: int) -> None:
        self._host, self._port = target.removeprefix("http://").split(":")
        self._breaks = breaks
        self.attempts = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.attempts += 1
        upstream_reader, upstream = await asyncio.open_connection(self._host, int(self._port))
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (int(h.split(b":")[1]) for h in head.split(b"\r\n") if h.lower().startswith(b"content-length")), 0
        )
        upstream.write(head + await reader.readexactly(length))
        reply = await upstream_reader.readuntil(b"\r\n\r\n")
        if self.attempts > self._breaks:
            size = next(
                (int(h.split(b":")[1]) for h in reply.split(b"\r\n") if h.lower().startswith(b"content-length")), 0
            )
            writer.write(reply + await upstream_reader.readexactly(size))
            await writer.drain()
        writer.close()
        upstream.close()


@pytest.mark.parametrize("kind", [SkillnetClient, AsyncSkillnetClient])
async def test_a_lost_reply_is_made_good_without_doing_anything_twice(
    gateway: RunningGateway, api_key: str, kind: type[Any]
) -> None:
    flaky = Flaky(gateway.url, breaks=2)
    server = await asyncio.start_server(flaky.handle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    client = kind(url, api_key, retry=RetryPolicy(retries=3, first_delay=0.01))
    call = call_sync if kind is SkillnetClient else call_async
    reply = await call(client, "upload", b"uno", UploadOptions(filename="a.md"))
    assert (reply.version, reply.outcome, reply.replayed) == (1, "created", True)
    assert flaky.attempts == 3
    flaky.attempts = 0
    await call(client, "delete", reply.document_id)
    assert flaky.attempts == 3
    await call_sync(client, "close") if kind is SkillnetClient else await client.close()
    server.close()
    await server.wait_closed()


async def test_quarantined_work_is_read_page_by_page_and_replayed(call: Call, database: Database, org: UUID) -> None:
    pipeline = Pipeline(database, org)
    ids = [await given_up(pipeline, key) for key in ("uno", "dos", "tres")]
    page = await call("quarantine_page", limit=2)
    assert [work.work_id for work in page.work] == ids[:0:-1]
    rest = await call("quarantine_page", limit=2, cursor=page.next_cursor)
    assert ([work.work_id for work in rest.work], rest.next_cursor) == (ids[:1], None)
    assert [work.work_id for work in await call("quarantine")] == ids[::-1]
    assert (await call("quarantined", ids[0])).external_key == "uno"
    assert (await call("replay", ids[0])).stage == "parse"
    with pytest.raises(SkillnetApiError) as error:
        await call("replay", ids[0])
    assert (error.value.code, error.value.status) == ("not_quarantined", 409)
