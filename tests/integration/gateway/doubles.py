"""Servers of the tests' own: a retriever on the bus, and an LLM behind an OpenAI-compatible API."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.contracts.outlines import OutlineReply, OutlineRequest
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    Evidence,
    GroundReply,
    GroundRequest,
    Rung,
    SearchReply,
    SearchRequest,
    Source,
    Strategy,
)
from skillnet_common.errors import SkillnetError
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.responder import Responder
from skillnet_common.runtime.http import HttpServer
from skillnet_common.settings import CommonSettings

SOURCES = [
    Source(
        number=1,
        label="Fuente 1: Devoluciones > Plazos, pág. 2",
        document_id=UUID(int=1),
        version=3,
        document_title="Devoluciones",
        section_path=["Plazos"],
        page_start=2,
        page_end=2,
        chunk_ids=[UUID(int=11)],
        char_start=0,
        char_end=80,
        text="El plazo de devolución es de 30 días naturales. Los productos frescos no se devuelven.",
    ),
    Source(
        number=2,
        label="Fuente 2: Caja",
        document_id=UUID(int=2),
        version=1,
        document_title="Caja",
        section_path=[],
        page_start=None,
        page_end=None,
        chunk_ids=[UUID(int=21)],
        char_start=0,
        char_end=40,
        text="El fondo de caja es de 150 euros cada mañana.",
    ),
]


def ground_reply(rung: Rung = Rung.CHUNKS) -> GroundReply:
    """A ground of two sources on the given rung."""
    context = "\n\n".join(f"[{source.label}]\n{source.text}" for source in SOURCES)
    return GroundReply(
        context=context,
        sources=SOURCES,
        token_count=60,
        token_budget=4000,
        dropped=0,
        strategy=Strategy.HYBRID,
        strategy_reason="por defecto",
        took_ms=1.0,
        embedding_model="test-model",
        rung=rung,
        reason="los pasajes cubren la pregunta",
        evidence=Evidence(),
    )


@dataclass
class RetrieverDouble:
    """Replies what the test sets, and remembers what it was asked."""

    reply: GroundReply | SkillnetError = field(default_factory=ground_reply)
    outlined: OutlineReply = field(default_factory=lambda: OutlineReply(is_course=False, parts=[]))
    asked: list[tuple[str, BaseModel, Mapping[str, str]]] = field(default_factory=list)

    async def search(self, body: bytes, headers: Mapping[str, str]) -> BaseModel:
        self.asked.append((subjects.SEARCH, SearchRequest.model_validate_json(body), headers))
        ground = self._ground()
        return SearchReply(passages=[], strategy=ground.strategy, strategy_reason="por defecto", took_ms=1.0)

    async def context(self, body: bytes, headers: Mapping[str, str]) -> BaseModel:
        self.asked.append((subjects.CONTEXT, ContextRequest.model_validate_json(body), headers))
        return ContextReply(**self._ground().model_dump())

    async def ground(self, body: bytes, headers: Mapping[str, str]) -> BaseModel:
        self.asked.append((subjects.GROUND, GroundRequest.model_validate_json(body), headers))
        return self._ground()

    async def outline(self, body: bytes, headers: Mapping[str, str]) -> BaseModel:
        self.asked.append((subjects.OUTLINE, OutlineRequest.model_validate_json(body), headers))
        return self.outlined

    def _ground(self) -> GroundReply:
        if isinstance(self.reply, SkillnetError):
            raise self.reply
        return self.reply


@contextlib.asynccontextmanager
async def retriever_double(nats_server: EmbeddedNats) -> AsyncIterator[RetrieverDouble]:
    """Listens as the retriever would."""
    double = RetrieverDouble()
    user = nats_server.users["retriever"]
    settings = CommonSettings(nats_url=nats_server.url, nats_user=user.name, nats_password=user.password)
    bus = await Bus.connect(settings, "retriever")
    handlers = {
        subjects.SEARCH: double.search,
        subjects.CONTEXT: double.context,
        subjects.GROUND: double.ground,
        subjects.OUTLINE: double.outline,
    }
    responder = Responder(bus.client, queue=subjects.RETRIEVAL_QUEUE, handlers=handlers, concurrency=4)
    await responder.start()
    yield double
    await responder.stop()
    await bus.close()


@dataclass
class LlmServer:
    """An OpenAI-compatible server. `script` lists replies in order: a text, a status, or any response."""

    url: str = ""
    script: list[str | int | Response] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    delay: float = 0.0

    async def complete(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.requests.append(body)
        self.keys.append(request.headers.get("authorization"))
        await asyncio.sleep(self.delay)
        step = self.script.pop(0)
        if isinstance(step, Response):
            return step
        if isinstance(step, int):
            return JSONResponse({"error": {"message": "no"}}, step, headers={"Retry-After": "0"})
        if body["stream"]:
            return StreamingResponse(_chunks(step), media_type="text/event-stream")
        return JSONResponse({"choices": [{"message": {"role": "assistant", "content": step}}]})


async def _chunks(text: str) -> AsyncIterator[str]:
    pieces: list[dict[str, Any]] = [{"role": "assistant"}]
    pieces += [{"content": text[at : at + 7]} for at in range(0, len(text), 7)]
    for piece in pieces:
        yield f"data: {json.dumps({'choices': [{'delta': piece}]})}\n\n"
    yield 'data: {"choices": [], "usage": {}}\n\n'
    yield "data: [DONE]\n\n"


@contextlib.asynccontextmanager
async def llm_server() -> AsyncIterator[LlmServer]:
    """A real HTTP server on a free port."""
    double = LlmServer()
    app = FastAPI()
    app.add_route("/v1/chat/completions", double.complete, methods=["POST"])
    server = HttpServer(app, host="127.0.0.1", port=0)
    await server.start()
    double.url = f"http://127.0.0.1:{server.port}/v1"
    yield double
    await server.stop()
