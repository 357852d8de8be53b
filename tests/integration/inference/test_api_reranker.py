"""Rerankers behind an API, against a real HTTP server that misbehaves on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.rerank.api_reranker import ApiReranker
from skillnet_inference.rerank.opening import open_reranker
from skillnet_inference.rerank.settings import RerankProvider, RerankSettings

Answer = Callable[[dict[str, Any]], tuple[int, str]]


def correct(body: dict[str, Any]) -> tuple[int, str]:
    results = [{"index": i, "relevance_score": len(text) / 100} for i, text in enumerate(body["documents"])]
    return 200, json.dumps({"results": sorted(results, key=lambda result: -result["relevance_score"])})


def results(*pairs: tuple[object, object]) -> Answer:
    found = [{"index": index, "relevance_score": score} for index, score in pairs]
    return lambda _: (200, json.dumps({"results": found}))


class RerankServer(ThreadingHTTPServer):
    """Answers as told, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Answer = correct
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v2"


class _Handler(BaseHTTPRequestHandler):
    server: RerankServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        code, content = self.server.answer(body)
        self.send_response(code)
        self.send_header("Content-Length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with RerankServer() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def settings_for(url: str, provider: RerankProvider = RerankProvider.COHERE, **fields: Any) -> RerankSettings:
    return RerankSettings(
        provider=provider,
        model="rerank-v3.5",
        api_base=url,
        **{"api_key": "secreto", "timeout_seconds": 20, **fields},
    )


@pytest.mark.parametrize("provider", [RerankProvider.COHERE, RerankProvider.JINA])
async def test_scores_come_in_the_order_of_the_passages(server: RerankServer, provider: RerankProvider) -> None:
    reranker = open_reranker(settings_for(server.url + "/", provider))
    assert isinstance(reranker, ApiReranker)
    assert await reranker.scores("¿plazo?", ["corto", "mucho más largo", "medio y"]) == [0.05, 0.15, 0.07]
    await reranker.close()
    ((path, key, body),) = server.requests
    assert (path, key) == ("/v2/rerank", "Bearer secreto")
    assert body.pop("return_documents", None) == (False if provider is RerankProvider.JINA else None)
    documents = ["corto", "mucho más largo", "medio y"]
    assert body == {"model": "rerank-v3.5", "query": "¿plazo?", "documents": documents, "top_n": 3}


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: (200, "no JSON"),
        lambda _: (200, "[" * 100_000),
        lambda _: (200, "[]"),
        lambda _: (200, '{"results": {}}'),
        lambda _: (200, '{"results": [1, 2]}'),
        results((0, 0.5)),
        results((0, 0.5), (0, 0.4)),
        results((0, 0.5), (2, 0.4)),
        results((0, 0.5), (1, None)),
        results((0, 0.5), (1, True)),
        results((0, 0.5), (1, "0.4")),
        results((0, 0.5), (1, float("nan"))),
        results((False, 0.5), (1, 0.4)),
        results((0, 0.5), (1, 10**400)),
        results((0, 0.5), (1, 0.4), (1, 0.4)),
    ],
)
async def test_a_reply_of_another_form_is_a_permanent_fault(server: RerankServer, answer: Answer) -> None:
    server.answer = answer
    reranker = ApiReranker(settings_for(server.url))
    with pytest.raises(PermanentFault) as raised:
        await reranker.scores("¿?", ["uno", "dos"])
    assert raised.value.code is ErrorCode.PROVIDER_FAILED
    await reranker.close()


@pytest.mark.parametrize(("status", "kind"), [(429, PassingFault), (503, PassingFault), (401, PermanentFault)])
async def test_a_refusal_carries_its_status_and_no_text(
    server: RerankServer, status: int, kind: type[PassingFault | PermanentFault]
) -> None:
    server.answer = lambda _: (status, '{"message": "secreto"}')
    reranker = ApiReranker(settings_for(server.url))
    with pytest.raises(kind) as raised:
        await reranker.scores("¿?", ["uno"])
    assert raised.value.details == {"status": status}
    assert "secreto" not in raised.value.message
    await reranker.close()


async def test_an_absent_api_is_a_passing_fault() -> None:
    reranker = ApiReranker(settings_for("http://127.0.0.1:9"))
    with pytest.raises(PassingFault, match="ConnectError"):
        await reranker.scores("¿?", ["uno"])
    await reranker.close()


def test_an_api_needs_an_address() -> None:
    with pytest.raises(ValueError, match="RERANK_API_BASE"):
        RerankSettings(provider=RerankProvider.JINA)
