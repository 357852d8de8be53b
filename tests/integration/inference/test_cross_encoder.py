"""The local reranker, on a cross-encoder that the tests make, and what is wrong with a folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.rerank.cross_encoder import OnnxCrossEncoder
from skillnet_inference.rerank.opening import open_reranker
from skillnet_inference.rerank.settings import RerankProvider, RerankSettings

from .reranking import write_cross_encoder

PASSAGES = ["el pan del horno", "plazo de devolución : treinta días", "la caja"]


@pytest.mark.parametrize(("classes", "subfolder"), [(1, ""), (2, ""), (1, "onnx")])
async def test_a_pair_is_read_together(tmp_path: Path, classes: int, subfolder: str) -> None:
    settings = RerankSettings(
        provider=RerankProvider.LOCAL,
        model_path=write_cross_encoder(tmp_path / "m", classes=classes, subfolder=subfolder),
    )
    reranker = open_reranker(settings)
    assert isinstance(reranker, OnnxCrossEncoder)
    assert await reranker.scores("plazo de devolución", PASSAGES) == [0.0, 2.0, 0.0]
    assert await reranker.scores("plazo", []) == []
    await reranker.close()


async def test_the_passage_is_cut_to_the_window_and_the_question_to_half_of_it(tmp_path: Path) -> None:
    reranker = OnnxCrossEncoder(write_cross_encoder(tmp_path), "tiny", window=32)
    assert await reranker.scores("pan", ["caja " * 40 + "pan", "pan " + "caja " * 40]) == [0.0, 1.0]
    assert await reranker.scores("caja " * 40 + "pan", ["pan", "caja"]) == [0.0, 16.0]
    await reranker.close()


async def test_a_text_cannot_spell_a_special_token(tmp_path: Path) -> None:
    reranker = OnnxCrossEncoder(write_cross_encoder(tmp_path), "tiny", window=64)
    assert await reranker.scores("pan [SEP] horno", ["[CLS] pan [SEP]"]) == [1.0]
    await reranker.close()


async def test_concurrent_questions_get_their_own_scores(tmp_path: Path) -> None:
    reranker = OnnxCrossEncoder(write_cross_encoder(tmp_path), "tiny", window=64, threads=2)
    scores = await asyncio.gather(*(reranker.scores(word, PASSAGES) for word in ("pan", "caja", "plazo") * 10))
    assert scores == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]] * 10
    await reranker.close()


@pytest.mark.parametrize("spoil", ["no_weights", "bad_weights", "no_tokenizer", "bad_tokenizer"])
def test_an_unfit_folder_is_told_what_it_lacks(tmp_path: Path, spoil: str) -> None:
    folder = write_cross_encoder(tmp_path)
    file = folder / ("model.onnx" if spoil.endswith("weights") else "tokenizer.json")
    file.unlink()
    if spoil.startswith("bad"):
        file.write_bytes(b"no")
    with pytest.raises(PermanentFault, match=file.name.replace(".", r"\.")) as raised:
        OnnxCrossEncoder(folder, "tiny", window=64)
    assert raised.value.code is ErrorCode.MISCONFIGURED


class _Hub(ThreadingHTTPServer):
    """Serves the files of a folder as the hub does."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _HubHandler)
        self.folder = folder


class _HubHandler(BaseHTTPRequestHandler):
    server: _Hub

    def do_HEAD(self) -> None:
        self._reply(with_body=False)

    def do_GET(self) -> None:
        self._reply(with_body=True)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def _reply(self, *, with_body: bool) -> None:
        path = self.path.split("?")[0]
        name = path.rpartition("/resolve/")[2].partition("/")[2]
        if path.startswith("/api/models/own/tiny"):
            files = [{"rfilename": p.name} for p in self.server.folder.iterdir()]
            content = json.dumps({"id": "own/tiny", "sha": "a" * 40, "siblings": files, "private": False}).encode()
            if "/tree/" in path:
                entries = [
                    {"type": "file", "path": p.name, "size": p.stat().st_size, "oid": "b" * 40}
                    for p in self.server.folder.iterdir()
                ]
                content = json.dumps(entries).encode()
        elif "/own/tiny/" in path and (self.server.folder / name).is_file():
            content = (self.server.folder / name).read_bytes()
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", "a" * 40)
        self.end_headers()
        if with_body:
            self.wfile.write(content)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Hub]:
    with _Hub(write_cross_encoder(tmp_path / "served")) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", url)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(
            huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}"
        )
        yield server
        server.shutdown()
        thread.join()


async def test_a_model_is_fetched_from_the_hub_once(hub: _Hub, tmp_path: Path) -> None:
    settings = RerankSettings(provider=RerankProvider.LOCAL, model="own/tiny")
    with pytest.raises((PermanentFault, PassingFault), match="own/other"):
        open_reranker(settings.model_copy(update={"model": "own/other"}))
    reranker = open_reranker(settings)
    assert reranker is not None
    assert await reranker.scores("pan", PASSAGES) == [1.0, 0.0, 0.0]
    await reranker.close()


def test_an_unreachable_hub_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(PassingFault, match="RERANK_MODEL_PATH"):
        open_reranker(RerankSettings(provider=RerankProvider.LOCAL, model="own/tiny"))


def test_none_is_opened_where_none_is_wanted() -> None:
    assert open_reranker(RerankSettings()) is None
