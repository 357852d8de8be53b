"""The whole system with somebody else's embeddings API and LLM: real servers that tell what text reached them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skillnet_cli.local.temporary import temporary_folder
from skillnet_client import SkillnetClient, UploadOptions
from skillnet_common.contracts.answers import AskEventKind, AskRequest
from skillnet_common.contracts.documents import VersionState
from skillnet_common.contracts.organizations import ConsentsChange, OrganizationChange
from skillnet_common.contracts.usage import UsageKind

from .system import System, skillnet_up

DIMENSION = 384
SECRET = "La clave de la caja fuerte se cambia cada 45 días."
QUESTION = "¿Cada cuántos días se cambia la clave de la caja fuerte?"
ANSWER = "Se cambia cada 45 días [Fuente 1]."
USAGE = {"prompt_tokens": 321, "completion_tokens": 12}


class OutsideServices(ThreadingHTTPServer):
    """An embeddings API and an LLM, which remember the bodies that they were sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.embedded: list[str] = []
        self.prompts: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: OutsideServices

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            self.server.embedded += body["input"]
            items = [{"index": index, "embedding": _vector(text)} for index, text in enumerate(body["input"])]
            self._reply(json.dumps({"data": items}), "application/json")
            return
        self.server.prompts.append(json.dumps(body["messages"], ensure_ascii=False))
        if body["stream"]:
            pieces = [{"choices": [{"delta": {"content": ANSWER[at : at + 4]}}]} for at in range(0, len(ANSWER), 4)]
            events = [json.dumps(piece) for piece in (*pieces, {"choices": [], "usage": USAGE})] + ["[DONE]"]
            self._reply("".join(f"data: {event}\n\n" for event in events), "text/event-stream")
        else:
            self._reply(
                json.dumps({"choices": [{"message": {"content": ANSWER}}], "usage": USAGE}), "application/json"
            )

    def _reply(self, text: str, media_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def _vector(text: str) -> list[float]:
    """Texts of like characters lie near each other."""
    vector = [1.0] * DIMENSION
    for character in text.lower():
        vector[ord(character) % DIMENSION] += 1
    return vector


@pytest.fixture(scope="module")
def outside() -> Iterator[OutsideServices]:
    with OutsideServices() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def sending_system(outside: OutsideServices) -> Iterator[System]:
    environment = {
        "EMBEDDING_PROVIDER": "api",
        "EMBEDDING_API_BASE": outside.url,
        "LLM_API_BASE": outside.url,
        "LLM_MODEL": "modelo",
    }
    with temporary_folder() as folder, skillnet_up(folder / "data", environment=environment) as system:
        yield system


def test_nothing_leaves_without_consent_and_everything_works_with_it(
    sending_system: System, outside: OutsideServices
) -> None:
    with sending_system.client() as client:
        assert not any(client.organization().consents.model_dump().values())
        document_id = client.upload(SECRET.encode(), UploadOptions(filename="caja.md")).document_id
        client.wait_until_settled([document_id], timeout=60)
        (version,) = client.document(document_id).versions
        assert version.failure is not None
        assert (version.state, version.failure.code) == (VersionState.FAILED, "consent_required")
        assert client.ask(AskRequest(question=QUESTION)).llm_error is None
        assert (outside.embedded, outside.prompts) == ([], [])

        client.change_organization(OrganizationChange(consents=ConsentsChange(embedding=True)))
        (waiting,) = client.quarantine()
        client.replay(waiting.work_id)
        client.wait_until_settled([document_id], timeout=60)
        assert any(SECRET in text for text in outside.embedded)
        reply = client.ask(QUESTION)
        assert (reply.answered_by, reply.citations) == ("extractive", [1])
        assert outside.embedded[-1] == f"query: {QUESTION}"
        assert outside.prompts == []

        client.change_organization(OrganizationChange(consents=ConsentsChange(llm=True, embedding=False)))
        sent = len(outside.embedded)
        events = list(client.ask_streamed("¿Y la clave de la caja fuerte?"))
        kinds = [event.kind for event in events if event.kind is not AskEventKind.DELTA]
        assert kinds == [AskEventKind.GROUND, AskEventKind.CITATION, AskEventKind.DONE]
        done = events[-1].reply
        assert done is not None
        assert (done.answer, done.answered_by, done.citations) == (ANSWER, "modelo", [1])
        assert any("no ha autorizado" in warning for warning in done.warnings)
        assert (len(outside.embedded), len(outside.prompts)) == (sent, 1)
        assert SECRET in outside.prompts[0]
        used = _settled_usage(client)
    assert used[UsageKind.LLM_PROMPT_TOKENS] == USAGE["prompt_tokens"]
    assert used[UsageKind.LLM_COMPLETION_TOKENS] == USAGE["completion_tokens"]
    assert used[UsageKind.ASK] == 3


def _settled_usage(client: SkillnetClient) -> dict[UsageKind, int]:
    """Once both meters have written: within seconds."""
    deadline = time.monotonic() + 20
    while True:
        used = {total.kind: total.amount for total in client.usage().totals}
        if (used.get(UsageKind.ASK) == 3 and UsageKind.LLM_PROMPT_TOKENS in used) or time.monotonic() > deadline:
            return used
        time.sleep(0.3)
