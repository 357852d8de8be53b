"""Questions over HTTP: forwarded with the credential, answered with checked citations."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.contracts.retrieval import GroundRequest, Question, Rung
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, PassingFault, RequestError

from .conftest import RunGateway, RunningGateway
from .doubles import LlmServer, RetrieverDouble, ground_reply, llm_server, retriever_double

QUESTION = "¿Cuál es el plazo de devolución?"
NOT_FOUND = "No lo encuentro en los documentos disponibles."


@pytest.fixture(scope="module")
async def shared_retriever(nats_server: EmbeddedNats) -> AsyncIterator[RetrieverDouble]:
    async with retriever_double(nats_server) as double:
        yield double


@pytest.fixture
def retriever(shared_retriever: RetrieverDouble) -> RetrieverDouble:
    shared_retriever.reply = ground_reply()
    shared_retriever.asked.clear()
    return shared_retriever


@pytest.fixture(scope="module")
async def llm_and_gateway(
    run_gateway: RunGateway, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[LlmServer, RunningGateway]]:
    async with (
        llm_server() as server,
        run_gateway(
            tmp_path_factory.mktemp("objects"),
            llm_api_base=server.url,
            llm_api_key="secreto",
            llm_model="modelo-1",
            llm_timeout_seconds=10,
        ) as running,
    ):
        yield server, running


@pytest.fixture
def llm(llm_and_gateway: tuple[LlmServer, RunningGateway]) -> LlmServer:
    server = llm_and_gateway[0]
    server.script, server.requests, server.keys, server.delay = [], [], [], 0
    return server


@pytest.fixture
async def consent(database: Database, org: UUID) -> None:
    async with database.tenant(org) as connection:
        await connection.execute("""UPDATE organizations SET settings = '{"llm_consent": true}'""")


@pytest.fixture
async def with_llm(
    llm_and_gateway: tuple[LlmServer, RunningGateway], llm: LlmServer, api_key: str, consent: None
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a gateway with an LLM, of an organisation that has consented."""
    async with llm_and_gateway[1].client(api_key) as http:
        yield http


async def ask(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    response = await client.post("/v1/ask", json={"question": QUESTION, **more})
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


async def events(
    client: httpx.AsyncClient, body: dict[str, Any] | None = None, **headers: str
) -> list[dict[str, Any]]:
    found = []
    body = {"question": QUESTION, **({"stream": True} if body is None else body)}
    async with client.stream("POST", "/v1/ask", json=body, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
    return found


@pytest.mark.parametrize(
    ("path", "subject"),
    [("/v1/search", subjects.SEARCH), ("/v1/context", subjects.CONTEXT), ("/v1/ground", subjects.GROUND)],
)
async def test_questions_are_forwarded_with_the_callers_credential(
    client: httpx.AsyncClient, retriever: RetrieverDouble, api_key: str, path: str, subject: str
) -> None:
    body = {"query": QUESTION, "limit": 3, "filters": {"course_id": "c1"}}
    response = await client.post(path, json=body)
    assert response.status_code == 200
    (asked, request, headers) = retriever.asked[0]
    assert asked == subject
    assert isinstance(request, Question)
    assert (request.query, request.limit, request.filters.course_id) == (QUESTION, 3, "c1")
    assert headers["Authorization"] == f"Bearer {api_key}"


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (RequestError(ErrorCode.QUERY_EMPTY, "La pregunta no dice nada."), 422, "query_empty"),
        (PassingFault(ErrorCode.UNAVAILABLE, "Sin base de datos."), 503, "unavailable"),
        (PassingFault(ErrorCode.PROVIDER_FAILED, "El modelo falló."), 502, "provider_failed"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/search", "/v1/ask"])
async def test_the_retrievers_errors_keep_their_code(
    client: httpx.AsyncClient,
    retriever: RetrieverDouble,
    path: str,
    fault: RequestError | PassingFault,
    status: int,
    code: str,
) -> None:
    retriever.reply = fault
    response = await client.post(path, json={"question" if path == "/v1/ask" else "query": QUESTION})
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.json()["detail"] == fault.message


async def test_an_answer_without_an_llm_is_extractive(client: httpx.AsyncClient, retriever: RetrieverDouble) -> None:
    reply = await ask(client, limit=4, token_budget=500, allow_general=False, filters={"course_id": "c"})
    assert "30 días naturales. [Fuente 1]" in reply["answer"]
    assert (reply["answered_by"], reply["rung"], reply["citations"]) == ("extractive", "chunks", [1])
    assert reply["reason"] == "los pasajes cubren la pregunta"
    first = reply["sources"][0]
    assert (first["document_title"], first["section_path"], first["page_start"]) == ("Devoluciones", ["Plazos"], 2)
    request = retriever.asked[0][1]
    assert isinstance(request, GroundRequest)
    assert (request.limit, request.token_budget, request.allow_general) == (4, 500, False)
    assert request.filters.course_id == "c"


@pytest.mark.parametrize("rung", [Rung.NONE, Rung.GENERAL])
async def test_without_ground_the_answer_says_so(
    client: httpx.AsyncClient, retriever: RetrieverDouble, rung: Rung
) -> None:
    retriever.reply = ground_reply(rung)
    reply = await ask(client)
    assert (reply["answer"], reply["rung"]) == (NOT_FOUND, "none")
    assert (reply["citations"], reply["sources"]) == ([], [])
    asked = retriever.asked[0][1]
    assert isinstance(asked, GroundRequest)
    assert asked.allow_general is False, "without an LLM nobody has general knowledge"
    assert asked.allow_document is False, "nor can tell whether a whole document answers"


@pytest.mark.parametrize(
    ("question", "language", "answer"),
    [
        ("How much is the fish?", None, "I cannot find it in the available documents."),
        ("Qual é o preço do peixe?", None, "Não o encontro nos documentos disponíveis."),
        ("How much is the fish?", "es", NOT_FOUND),
        ("¿Cuánto vale el pescado?", "en", "I cannot find it in the available documents."),
        ("How much is the fish?", "fr", NOT_FOUND),
    ],
)
async def test_that_nothing_was_found_is_said_in_the_questions_language_or_the_one_asked_for(
    client: httpx.AsyncClient, retriever: RetrieverDouble, question: str, language: str | None, answer: str
) -> None:
    retriever.reply = ground_reply(Rung.NONE)
    assert (await ask(client, question=question, language=language))["answer"] == answer


async def test_passages_that_suffice_answer_a_question_in_another_language(
    client: httpx.AsyncClient, with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    question = "Until when may I bring it back?"
    for rung in (Rung.CHUNKS, Rung.DOCUMENT):
        retriever.reply = ground_reply(rung)
        reply = await ask(client, question=question)
        assert reply["citations"] == [1]
        assert reply["answer"].endswith("[Fuente 1]")
    llm.script = [401]
    reply = await ask(with_llm, question=question)
    assert reply["citations"] == [], "whether a document read for the LLM answers was left to the LLM"
    assert reply["answer"] == "I cannot find it in the available documents."


async def test_general_knowledge_that_fails_is_no_ground(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    retriever.reply = ground_reply(Rung.GENERAL)
    llm.script = [401]
    reply = await ask(with_llm)
    assert (reply["answer"], reply["rung"], reply["answered_by"]) == (NOT_FOUND, "none", "extractive")
    assert any("modelo de lenguaje" in warning for warning in reply["warnings"])


async def test_an_llm_answers_from_the_fenced_context(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    llm.script = ["El plazo es de 30 días naturales [Fuente 1: Devoluciones]. También (fuente 7)."]
    reply = await ask(with_llm)
    assert reply["answer"] == "El plazo es de 30 días naturales [Fuente 1]. También."
    assert (reply["answered_by"], reply["citations"]) == ("modelo-1", [1])
    assert any("7" in warning for warning in reply["warnings"])
    assert llm.keys == ["Bearer secreto"]
    request = llm.requests[0]
    assert (request["model"], request["temperature"]) == ("modelo-1", 0)
    system, user = (message["content"] for message in request["messages"])
    fence = re.search(r"<(datos-[0-9a-f]{16})>", system)
    assert fence is not None
    assert re.search(rf"<{fence[1]}>\n\[Fuente 1: .*150 euros.*\n</{fence[1]}>", user, re.DOTALL)
    assert user.endswith(f"<{fence[1]}-pregunta>\n{QUESTION}\n</{fence[1]}-pregunta>")


async def test_a_figure_that_the_source_does_not_state_is_pointed_out(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    llm.script = ["El plazo es de 45 días [Fuente 1]."]
    assert any("45" in warning for warning in (await ask(with_llm))["warnings"])


async def test_an_answer_that_cites_nothing_is_pointed_out(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    llm.script = ["El plazo es de 30 días.", NOT_FOUND]
    assert any("no cita" in warning for warning in (await ask(with_llm))["warnings"])
    assert (await ask(with_llm))["warnings"] == []


async def test_general_knowledge_never_carries_a_citation(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    retriever.reply = ground_reply(Rung.GENERAL)
    llm.script = ["Los documentos no lo recogen. En general son 14 días [Fuente 1]."]
    reply = await ask(with_llm)
    assert reply["answer"] == "Los documentos no lo recogen. En general son 14 días."
    assert (reply["rung"], reply["citations"], reply["sources"]) == ("general", [], [])
    sent = json.dumps(llm.requests[0], ensure_ascii=False)
    assert "150 euros" not in sent, "documents that do not answer are not sent away"


async def test_nothing_found_asks_no_llm(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    retriever.reply = ground_reply(Rung.NONE)
    assert (await ask(with_llm))["answer"] == NOT_FOUND
    assert llm.requests == []


@pytest.mark.parametrize(
    "settings", ["{}", '{"llm_consent": false}', '{"llm_consent": "sí"}', '{"llm_consent": null}']
)
async def test_without_consent_no_text_leaves(
    with_llm: httpx.AsyncClient,
    retriever: RetrieverDouble,
    llm: LlmServer,
    database: Database,
    org: UUID,
    settings: str,
) -> None:
    async with database.tenant(org) as connection:
        await connection.execute("UPDATE organizations SET settings = $1::jsonb", json.loads(settings))
    reply = await ask(with_llm)
    assert (reply["answered_by"], llm.requests) == ("extractive", [])


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_passing_failure_of_the_llm_is_tried_again(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer, status: int
) -> None:
    llm.script = [status, status, "Son 30 días [Fuente 1]."]
    reply = await ask(with_llm)
    assert (reply["answered_by"], len(llm.requests)) == ("modelo-1", 3)


def _broken_replies() -> dict[str, list[str | int | Response]]:
    return {
        "always 503": [503, 503, 503],
        "refused": [401],
        "not JSON": [PlainTextResponse("<html>")],
        "another form": [JSONResponse({"choices": []})],
        "a list": [JSONResponse([1])],
        "no text": [JSONResponse({"choices": [{"message": {"content": None}}]})],
        "a number": [JSONResponse({"choices": [{"message": {"content": 3}}]})],
        "blank": ["  "],
    }


@pytest.mark.parametrize("broken", _broken_replies())
async def test_a_failure_of_the_llm_falls_back_to_the_documents_sentences(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer, broken: str
) -> None:
    llm.script = _broken_replies()[broken]
    reply = await ask(with_llm)
    assert "[Fuente 1]" in reply["answer"]
    assert (reply["answered_by"], reply["citations"]) == ("extractive", [1])
    assert any("modelo de lenguaje" in warning for warning in reply["warnings"])
    assert llm.script == []


@pytest.mark.parametrize("reason", ["slow", "unreachable"])
async def test_an_llm_that_does_not_answer_falls_back(
    run_gateway: RunGateway,
    tmp_path: Path,
    retriever: RetrieverDouble,
    llm: LlmServer,
    api_key: str,
    consent: None,
    reason: str,
) -> None:
    llm.delay, llm.script = 1, ["tarde"]
    base = llm.url if reason == "slow" else "http://127.0.0.1:1/v1"
    async with (
        run_gateway(tmp_path, llm_api_base=base, llm_model="m", llm_timeout_seconds=0.3) as running,
        running.client(api_key) as http,
    ):
        assert (await ask(http))["answered_by"] == "extractive"


async def test_a_streamed_answer(with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer) -> None:
    llm.script = ["El plazo es de 30 días [Fuente 1] [Fuente 9]."]
    found = await events(with_llm)
    assert [found[0]["kind"], found[-1]["kind"]] == ["ground", "done"]
    assert found[0]["reply"]["answer"] == ""
    assert len(found[0]["reply"]["sources"]) == 2
    deltas = [event["text"] for event in found if event["kind"] == "delta"]
    assert len(deltas) > 3
    assert "".join(deltas) == "El plazo es de 30 días [Fuente 1] [Fuente 9]."
    done = found[-1]["reply"]
    assert (done["answer"], done["citations"]) == ("El plazo es de 30 días [Fuente 1].", [1])


async def test_sources_are_told_of_as_soon_as_they_are_cited(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    llm.script = ["El plazo es de 30 días [Fuente 1]. El fondo, 150 euros [Fuente 2: Caja] [Fuente 9] [Fuente 1]."]
    found = await events(with_llm)
    cited = [(at, event["citation"]) for at, event in enumerate(found) if event["kind"] == "citation"]
    assert [citation["number"] for _, citation in cited] == [1, 2]
    first_at, first = cited[0]
    said = "".join(event["text"] for event in found[:first_at])
    assert "[Fuente 1]" in said
    assert "150 euros" not in said
    assert first == {
        "number": 1,
        "source_id": str(UUID(int=11)),
        "document_id": str(UUID(int=1)),
        "version": 3,
        "document_title": "Devoluciones",
        "section_path": ["Plazos"],
        "page_start": 2,
        "page_end": 2,
        "page_label_start": None,
        "page_label_end": None,
        "char_start": 0,
        "char_end": 80,
        "chunk_ids": [str(UUID(int=11))],
        "ocr": False,
    }
    assert found[-1]["reply"]["citations"] == [1, 2]


async def test_a_general_answer_streams_no_citation(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    retriever.reply = ground_reply(Rung.GENERAL)
    llm.script = ["En general son 14 días [Fuente 1]."]
    assert {event["kind"] for event in await events(with_llm)} == {"ground", "delta", "done"}


@pytest.mark.parametrize(
    ("accept", "body", "streams"),
    [
        ("text/event-stream", {}, True),
        ("application/json;q=0.5, Text/Event-Stream; q=0.9", {}, True),
        ("application/json", {}, False),
        ("*/*", {}, False),
        ("text/event-stream", {"stream": False}, False),
        ("application/json", {"stream": True}, True),
    ],
)
async def test_a_stream_is_asked_for_by_body_or_header(
    client: httpx.AsyncClient, retriever: RetrieverDouble, accept: str, body: dict[str, Any], streams: bool
) -> None:
    reply = await client.post("/v1/ask", json={"question": QUESTION, **body}, headers={"Accept": accept})
    assert reply.headers["content-type"].startswith("text/event-stream" if streams else "application/json")


async def test_a_stream_gives_signs_of_life_while_the_model_thinks(
    run_gateway: RunGateway, tmp_path: Path, retriever: RetrieverDouble, llm: LlmServer, api_key: str, consent: None
) -> None:
    llm.delay, llm.script = 0.3, ["Son 30 días [Fuente 1]."]
    settings = {"llm_api_base": llm.url, "llm_model": "m", "ask_heartbeat_seconds": 0.05}
    async with run_gateway(tmp_path, **settings) as running, running.client(api_key) as http:
        text = (await http.post("/v1/ask", json={"question": QUESTION, "stream": True})).text
    ground, life, delta = text.index("event: ground"), text.index("\n\n: heartbeat\n\n"), text.index("event: delta")
    assert ground < life < delta
    assert text.count(": heartbeat") >= 3


async def _never_ends(closed: asyncio.Event, *, pieces: int) -> AsyncIterator[str]:
    try:
        for _ in range(pieces):
            yield 'data: {"choices": [{"delta": {"content": "El plazo "}}]}\n\n'
        await asyncio.sleep(60)
    finally:
        closed.set()


@pytest.mark.parametrize(("leaves_at", "pieces"), [("event: delta", 1), ("event: delta", 1_000), (": heartbeat", 0)])
async def test_an_asker_who_leaves_hangs_up_on_the_llm(
    run_gateway: RunGateway,
    tmp_path: Path,
    retriever: RetrieverDouble,
    llm: LlmServer,
    api_key: str,
    consent: None,
    leaves_at: str,
    pieces: int,
) -> None:
    settings = {"llm_api_base": llm.url, "llm_model": "m", "ask_heartbeat_seconds": 0.05}
    async with run_gateway(tmp_path, **settings) as running, running.client(api_key) as http:
        for _ in range(3):
            closed = asyncio.Event()
            llm.script = [StreamingResponse(_never_ends(closed, pieces=pieces), media_type="text/event-stream")]
            async with http.stream("POST", "/v1/ask", json={"question": QUESTION, "stream": True}) as response:
                async for line in response.aiter_lines():
                    if line.startswith(leaves_at):
                        break
            async with asyncio.timeout(30):
                await closed.wait()


async def test_an_asker_who_does_not_wait_for_the_whole_answer_hangs_up_on_the_llm(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    closed = asyncio.Event()
    llm.script = [StreamingResponse(_never_ends(closed, pieces=1), media_type="application/json")]
    asking = asyncio.create_task(with_llm.post("/v1/ask", json={"question": QUESTION}))
    async with asyncio.timeout(30):
        while not llm.requests:  # noqa: ASYNC110 - the server's list
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        asking.cancel()
        await closed.wait()


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("script", "code"),
    [([401], "provider_refused"), ([404], "provider_refused"), ([503] * 3, "provider_failed")],
)
async def test_the_reply_says_by_a_code_why_the_llm_did_not_answer(
    with_llm: httpx.AsyncClient,
    retriever: RetrieverDouble,
    llm: LlmServer,
    script: list[str | int | Response],
    code: str,
    streams: bool,
) -> None:
    llm.script = list(script)
    reply = (await events(with_llm))[-1]["reply"] if streams else await ask(with_llm)
    assert (reply["llm_error"], reply["answered_by"], reply["citations"]) == (code, "extractive", [1])
    assert len(llm.requests) == len(script)


async def test_an_answer_that_was_cut_says_so(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    cut = {"choices": [{"message": {"content": "Son 30 días [Fuente 1]. Adem"}, "finish_reason": "length"}]}
    llm.script = [JSONResponse(cut)]
    assert any("cortada" in warning for warning in (await ask(with_llm))["warnings"])


async def test_a_streamed_answer_survives_line_separators_within_text(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    text = "Son 30 días\u2028naturales\u0085 [Fuente 1]."
    raw = json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False)
    llm.script = [PlainTextResponse(f"data: {raw}\n\ndata: [DONE]\n\n", media_type="text/event-stream")]
    found = await events(with_llm)
    assert found[1]["text"] == text
    assert found[-1]["reply"]["citations"] == [1]


async def test_a_streamed_answer_without_an_llm(client: httpx.AsyncClient, retriever: RetrieverDouble) -> None:
    found = await events(client)
    assert [event["kind"] for event in found] == ["ground", "delta", "citation", "done"]
    assert found[-1]["reply"]["answer"] == found[1]["text"]


async def _breaks_off() -> AsyncIterator[str]:
    yield 'data: {"choices": [{"delta": {"content": "El plazo"}}]}\n\n'
    yield "data: {roto\n\n"


@pytest.mark.parametrize("first", [503, "stream"])
async def test_a_stream_that_breaks_off_falls_back(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer, first: Any
) -> None:
    broken = StreamingResponse(_breaks_off(), media_type="text/event-stream")
    llm.script = [503, 503, 503] if first == 503 else [broken]
    found = await events(with_llm)
    done = found[-1]["reply"]
    assert (found[-1]["kind"], done["answered_by"], done["citations"]) == ("done", "extractive", [1])
    assert any("modelo de lenguaje" in warning for warning in done["warnings"])


async def test_errors_before_a_stream_are_problems(client: httpx.AsyncClient, retriever: RetrieverDouble) -> None:
    retriever.reply = RequestError(ErrorCode.QUERY_EMPTY, "nada")
    response = await client.post("/v1/ask", json={"question": QUESTION, "stream": True})
    assert (response.status_code, response.json()["code"]) == (422, "query_empty")


HISTORY = [{"question": "¿Cuál es el plazo de devolución?", "answer": "30 días [Fuente 1]."}]


async def test_a_follow_up_is_worded_anew_by_the_llm(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    llm.script = ["¿Cuál es el plazo de devolución si la compra es online?", "30 días [Fuente 1]."]
    reply = await ask(with_llm, question="¿y si es online?", history=HISTORY)
    assert reply["read_as"] == "¿Cuál es el plazo de devolución si la compra es online?"
    asked = retriever.asked[0][1]
    assert isinstance(asked, GroundRequest)
    assert (asked.query, asked.earlier) == (reply["read_as"], [])
    rewriting, answering = (json.dumps(request["messages"], ensure_ascii=False) for request in llm.requests)
    assert HISTORY[0]["question"] in rewriting
    assert HISTORY[0]["answer"] in rewriting
    assert "si la compra es online" in answering


async def test_marks_and_controls_of_a_rewritten_question_are_dropped(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer
) -> None:
    llm.script = ['¿Cuál es el "plazo" si\0 es «online»?', "30 días [Fuente 1]."]
    assert (await ask(with_llm, question="¿y si es online?", history=HISTORY))["read_as"] == (
        "¿Cuál es el plazo si es online?"
    )


@pytest.mark.parametrize("script", [[400], ["Una línea.\nY otra."], ["x" * 700], ["«»"]])
async def test_a_follow_up_that_the_llm_cannot_word_is_completed_by_the_retriever(
    with_llm: httpx.AsyncClient, retriever: RetrieverDouble, llm: LlmServer, script: list[str | int]
) -> None:
    llm.script = [*script, "30 días [Fuente 1]."]
    retriever.reply = ground_reply().model_copy(update={"read_as": "plazo devolución ¿y si es online?"})
    reply = await ask(with_llm, question="¿y si es online?", history=HISTORY)
    assert (reply["answer"], reply["llm_error"]) == ("30 días [Fuente 1].", None)
    assert reply["read_as"] == "plazo devolución ¿y si es online?"
    asked = retriever.asked[0][1]
    assert isinstance(asked, GroundRequest)
    assert (asked.query, asked.earlier) == ("¿y si es online?", [HISTORY[0]["question"]])


async def test_without_an_llm_the_conversation_goes_to_the_retriever(
    client: httpx.AsyncClient, retriever: RetrieverDouble
) -> None:
    retriever.reply = ground_reply().model_copy(update={"read_as": "plazo devolución ¿y el fondo de caja?"})
    reply = await ask(client, question="¿y el fondo de caja?", history=HISTORY)
    assert reply["read_as"] == "plazo devolución ¿y el fondo de caja?"
    asked = retriever.asked[0][1]
    assert isinstance(asked, GroundRequest)
    assert asked.earlier == [HISTORY[0]["question"]]


async def test_without_consent_no_conversation_leaves(
    llm_and_gateway: tuple[LlmServer, RunningGateway], llm: LlmServer, api_key: str, retriever: RetrieverDouble
) -> None:
    async with llm_and_gateway[1].client(api_key) as http:
        await ask(http, question="¿y si es online?", history=HISTORY)
    assert llm.requests == []


@pytest.mark.parametrize(
    ("expansion", "written", "variants"),
    [
        ("multi_query", "¿Cuántos días hay?\n¿Qué plazo hay?", ["¿Cuántos días hay?", "¿Qué plazo hay?"]),
        ("hyde", "El plazo es de 14 días.", ["El plazo es de 14 días."]),
        ("hyde", 400, []),
    ],
)
async def test_what_the_llm_writes_beside_a_question_is_searched_too(
    with_llm: httpx.AsyncClient,
    retriever: RetrieverDouble,
    llm: LlmServer,
    expansion: str,
    written: str | int,
    variants: list[str],
) -> None:
    llm.script = [written, "30 días [Fuente 1]."]
    reply = await ask(with_llm, expansion=expansion)
    assert reply["answer"] == "30 días [Fuente 1]."
    asked = retriever.asked[0][1]
    assert isinstance(asked, GroundRequest)
    assert (asked.query, asked.variants) == (QUESTION, variants)
