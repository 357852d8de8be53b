"""`python -m skillnet_retriever` with the real model over the example documents, asked over the bus."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from tests.conftest import DatabaseUrls, create_database
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, seed

from skillnet_chunker.domain import ChunkOptions
from skillnet_chunker.domain.chunking import chunk_document
from skillnet_cli.local.instance import answers_ready
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.ports import free_port
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.auth import Scope, create_organization, new_key, store_key
from skillnet_common.contracts import subjects
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    Filters,
    GroundReply,
    GroundRequest,
    Question,
    Rung,
    SearchReply,
    SearchRequest,
)
from skillnet_common.database import Database, migrate, register_first_model
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.requester import ask
from skillnet_common.settings import CommonSettings
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import model_identity, open_encoder
from skillnet_inference.settings import EmbeddingSettings
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

EXAMPLES = Path(__file__).parents[3] / "examples" / "documents"
FILES = (
    "politica-de-devoluciones.pdf",
    "alergenos-y-seguridad-alimentaria.pdf",
    "tarifa-de-precios.pdf",
    "aviso-corte-de-agua.txt",
    "quejas-y-reclamaciones.md",
)


@dataclass(frozen=True)
class Library:
    """A database with the example documents, and keys to it."""

    urls: DatabaseUrls
    key: str
    writer_key: str
    stranger_key: str


def read(encoder: Encoder, name: str) -> SeedDocument:
    parsed = parse_path(EXAMPLES / name, name, ParseLimits(), lambda *_: None)
    title = parsed.title or name
    chunks = chunk_document(parsed, title=title, tokens=encoder.tokenizer, options=ChunkOptions())
    vectors = encoder.encode_passages([chunk.model_text for chunk in chunks])
    seeds = [
        SeedChunk(
            chunk.body[chunk.overlap_chars :],
            vector.tolist(),
            chunk.section_path,
            chunk.page_start,
            chunk.body[: chunk.overlap_chars],
            chunk.kind,
            chunk.header,
        )
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]
    return SeedDocument(title, seeds, pages=parsed.page_count, small=parsed.page_count <= 3)


@pytest.fixture(scope="module")
async def library(postgres: EmbeddedPostgres) -> Library:
    urls = await create_database(postgres, "library")
    await migrate(urls.migrator)
    identity = model_identity(EmbeddingSettings())
    model_id = await register_first_model(
        urls.migrator,
        slug=identity.slug,
        fingerprint=identity.fingerprint,
        name=identity.name,
        dimension=identity.dimension,
        identity=asdict(identity),
    )
    encoder = await asyncio.to_thread(open_encoder, EmbeddingSettings())
    documents = [await asyncio.to_thread(read, encoder, name) for name in FILES]
    encoder.close()
    database = await Database.connect(urls.service, size=2)
    org, stranger = uuid4(), uuid4()
    keys = {org: new_key(), stranger: new_key()}
    for owner, key in keys.items():
        await create_organization(database, owner, "Panadería")
        await store_key(database, owner, key, name="test", scopes=[Scope.READ])
    writer_key = new_key()
    await store_key(database, org, writer_key, name="writer", scopes=[Scope.WRITE])
    await seed(database, org, *documents, model_id=model_id)
    await database.close()
    return Library(urls, keys[org], writer_key, keys[stranger])


@asynccontextmanager
async def running(urls: DatabaseUrls, nats: EmbeddedNats, **extra: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The process, ready to answer; terminated and checked at the end."""
    user = nats.users["retriever"]
    port = free_port(None)
    environment = {
        **os.environ,
        "OPS_PORT": str(port),
        "DATABASE_URL": urls.service,
        "NATS_URL": nats.url,
        "NATS_USER": user.name,
        "NATS_PASSWORD": user.password,
        **extra,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "skillnet_retriever", env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:
        while process.returncode is None and not await answers_ready(port):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.communicate(), 20)
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()


async def event(process: asyncio.subprocess.Process, name: str) -> dict[str, object]:
    assert process.stderr is not None
    async with asyncio.timeout(60):
        async for line in process.stderr:
            entry: dict[str, object] = json.loads(line)
            if entry["event"] == name:
                return entry
    raise AssertionError(f"the retriever ended before {name!r}")


@pytest.fixture(scope="module")
async def bus(library: Library, nats_server: EmbeddedNats) -> AsyncIterator[Bus]:
    """A gateway's connection to a running retriever."""
    async with running(library.urls, nats_server) as process:
        await event(process, "started")
        user = nats_server.users["gateway"]
        settings = CommonSettings(nats_url=nats_server.url, nats_user=user.name, nats_password=user.password)
        connection = await Bus.connect(settings, "gateway")
        try:
            yield connection
        finally:
            await connection.close()


async def search(bus: Bus, key: str, query: str) -> SearchReply:
    request = SearchRequest(query=query)
    return await ask(bus.client, subjects.SEARCH, request, SearchReply, credential=key, timeout=10)


async def ground(bus: Bus, key: str, query: str) -> GroundReply:
    request = GroundRequest(query=query)
    return await ask(bus.client, subjects.GROUND, request, GroundReply, credential=key, timeout=10)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿En cuántos meses caduca el vale de una devolución?", "12 meses"),
        ("en cuantos meses caduca el vale que se da por una devolucion", "12 meses"),
        ("¿Cuánto cuesta el pan de centeno?", "3,45 €"),
        ("PAN-005", "3,45 €"),
        ("How many minutes does a shop have to take a recalled product off the display?", "15 minutos"),
    ],
)
async def test_questions_find_the_passage_that_answers(bus: Bus, library: Library, question: str, said: str) -> None:
    reply = await search(bus, library.key, question)
    assert any(said in passage.text for passage in reply.passages[:3])
    assert all(box.page >= 1 for passage in reply.passages for box in passage.boxes)


@pytest.mark.parametrize(
    "question",
    ["¿Cuánto cuesta el pan de centeno?", "How many minutes does a shop have to take off a recalled product?"],
)
async def test_what_the_documents_answer_stands_on_chunks(bus: Bus, library: Library, question: str) -> None:
    reply = await ground(bus, library.key, question)
    assert reply.rung is Rung.CHUNKS, reply.reason
    assert reply.sources


@pytest.mark.parametrize(
    "question",
    ["¿Quién ganó el mundial de fútbol de 1998?", "¿Cuál es la capital de Mongolia?", "Who wrote Don Quixote?"],
)
async def test_what_they_do_not_stands_on_general_knowledge(bus: Bus, library: Library, question: str) -> None:
    reply = await ground(bus, library.key, question)
    assert reply.rung is Rung.GENERAL, reply.reason
    assert reply.context == ""


async def test_contexts_come_over_the_bus(bus: Bus, library: Library) -> None:
    request = ContextRequest(query="retirada de un producto", token_budget=600)
    reply = await ask(bus.client, subjects.CONTEXT, request, ContextReply, credential=library.key, timeout=10)
    assert 0 < reply.token_count <= 600
    assert reply.context.startswith("[Fuente 1: ")


SUBJECTS: dict[str, tuple[type[Question], type[SearchReply | ContextReply]]] = {
    subjects.SEARCH: (SearchRequest, SearchReply),
    subjects.CONTEXT: (ContextRequest, ContextReply),
    subjects.GROUND: (GroundRequest, GroundReply),
}


@pytest.mark.parametrize("subject", SUBJECTS)
async def test_the_credential_decides_what_is_seen(bus: Bus, library: Library, subject: str) -> None:
    request_type, reply_type = SUBJECTS[subject]
    found = (await search(bus, library.key, "pan de centeno")).passages[0]
    for filters in (Filters(), Filters(document_ids=[found.document_id])):
        request = request_type(query="pan de centeno", filters=filters)
        own, strange = [
            (await ask(bus.client, subject, request, reply_type, credential=key, timeout=10)).model_dump_json()
            for key in (library.key, library.stranger_key)
        ]
        for theirs in (str(found.document_id), found.document_title):
            assert theirs in own
            assert theirs not in strange
    for key, code in ((new_key(), ErrorCode.UNAUTHORIZED), (library.writer_key, ErrorCode.FORBIDDEN)):
        with pytest.raises(RequestError) as caught:
            await ask(bus.client, subject, request, reply_type, credential=key, timeout=10)
        assert caught.value.code is code


async def test_a_payload_cannot_name_a_tenant(bus: Bus, library: Library) -> None:
    body = json.dumps({"query": "pan", "org_id": str(UUID(int=1))}).encode()
    message = await bus.client.request(
        subjects.SEARCH, body, timeout=10, headers={"Authorization": f"Bearer {library.key}"}
    )
    assert json.loads(message.data)["code"] == ErrorCode.INVALID_REQUEST


async def test_questions_at_once_are_all_answered(bus: Bus, library: Library) -> None:
    replies = await asyncio.gather(*(search(bus, library.key, f"pan número {n}") for n in range(30)))
    assert all(reply.passages for reply in replies)


async def test_another_model_than_the_serving_one_ends_the_start_with_a_sentence(
    library: Library, nats_server: EmbeddedNats
) -> None:
    async with running(library.urls, nats_server, EMBEDDING_QUERY_PREFIX="q: ") as process:
        _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 78
    assert ErrorCode.MODEL_MISMATCH in errors.decode()
    assert "vectors of two models cannot be compared" in errors.decode()
