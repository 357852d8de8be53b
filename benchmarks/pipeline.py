"""The whole way of documents, uploads to live versions, against embedding their chunks alone; and memory."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import asyncpg
import psutil

from benchmarks.corpus import sentences
from benchmarks.results import Result, progress
from skillnet_cli.account import Account
from skillnet_cli.local.stack import LocalStack
from skillnet_cli.local.temporary import temporary_folder
from skillnet_cli.stack import open_stack, start_account
from skillnet_client import SkillnetClient, UploadOptions
from skillnet_common.contracts.retrieval import SearchRequest
from skillnet_common.documents.chunk import model_text
from skillnet_inference.factory import open_encoder
from skillnet_inference.settings import EmbeddingSettings

_DOCUMENTS = 24
_SENTENCES_A_DOCUMENT = 260
_LIMITS_MB = {"embedder": 900.0, "retriever": 900.0}
_OTHER_LIMIT_MB = 250.0


def measure() -> Iterator[Result]:
    """Yields the ratio of chunks a second and the peak memory of each service."""
    yield from asyncio.run(_measure())


async def _measure() -> list[Result]:
    with temporary_folder("bench") as folder, tempfile.TemporaryDirectory() as inputs:
        files = _write_documents(Path(inputs))
        progress("pipeline: starting the stack")
        async with open_stack(folder / "data", fast=True) as stack:
            account = await start_account(stack)
            memory = MemoryWatch(stack)
            await asyncio.to_thread(_ingest, stack.address, account, files[:2])  # warms every process up
            chunks_before = await _chunk_texts(stack, account)
            progress(f"pipeline: ingesting {len(files) - 2} documents")
            begun = time.perf_counter()
            await asyncio.to_thread(_ingest, stack.address, account, files[2:])
            whole_way = time.perf_counter() - begun
            texts = (await _chunk_texts(stack, account))[len(chunks_before) :]
            await asyncio.to_thread(_ask_around, stack.address, account)
            memory.stop()
        progress(f"pipeline: embedding the same {len(texts)} chunks alone")
        alone = await asyncio.to_thread(_embed_alone, texts)
    rate, rate_alone = len(texts) / whole_way, len(texts) / alone
    ratio = Result(
        "upload to live, chunks/s against embedding alone",
        rate / rate_alone,
        "times",
        0.85,
        "above",
        f"{rate:.1f} against {rate_alone:.1f} chunks/s, {len(texts)} chunks in {len(files) - 2} documents",
    )
    return [ratio, *memory.results()]


def _write_documents(folder: Path) -> list[Path]:
    """Markdown documents of about 25 pages; each sentence carries its own number, so no vector can be reused."""
    pool = sentences()
    files = []
    for number in range(_DOCUMENTS + 2):
        parts = [f"# Documento {number}"]
        for index in range(_SENTENCES_A_DOCUMENT):
            if index % 20 == 0:
                parts.append(f"## Apartado {index // 20 + 1}")
            parts.append(f"{pool[(number * 37 + index) % len(pool)]} Caso {number}-{index}.")
        path = folder / f"documento-{number}.md"
        path.write_text("\n\n".join(parts), encoding="utf-8")
        files.append(path)
    return files


def _ingest(address: str, account: Account, files: Sequence[Path]) -> None:
    with SkillnetClient(address, account.api_key) as client:
        ids: list[UUID] = [client.upload(path, UploadOptions(external_key=path.name)).document_id for path in files]
        settled = client.wait_until_settled(ids)
        failed = [document.failure for document in settled.values() if document.failure is not None]
        if failed:
            raise RuntimeError(f"documents failed: {failed}")


def _ask_around(address: str, account: Account) -> None:
    with SkillnetClient(address, account.api_key) as client:
        for sentence in sentences()[:50]:
            client.search(SearchRequest(query=sentence[:200]))


async def _chunk_texts(stack: LocalStack, account: Account) -> list[str]:
    connection = await asyncpg.connect(stack.state.environment["DATABASE_URL"])
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('skillnet.org_id', $1, true)", account.org_id)
            await connection.execute("SELECT set_config('skillnet.audience', '*', true)")
            rows = await connection.fetch(
                "SELECT c.header, c.body FROM document_chunks c JOIN document_versions v"
                " USING (org_id, document_id, version) ORDER BY v.created_at, c.chunk_index"
            )
    finally:
        await connection.close()
    return [model_text(row["header"], row["body"]) for row in rows]


def _embed_alone(texts: Sequence[str]) -> float:
    encoder = open_encoder(EmbeddingSettings())
    try:
        encoder.encode_passages(texts[:8])
        begun = time.perf_counter()
        encoder.encode_passages(texts)
        return time.perf_counter() - begun
    finally:
        encoder.close()


class MemoryWatch:
    """Peak resident memory of each service's own process, sampled five times a second; children apart."""

    def __init__(self, stack: LocalStack) -> None:
        self._processes = {process.name: process.pid for process in stack.state.processes if process.pid}
        self._peaks: dict[str, int] = defaultdict(int)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> None:
        """Ends sampling."""
        self._stopping.set()
        self._thread.join()

    def results(self) -> list[Result]:
        """A result for each service, and one without a target for the parser's child."""
        results = []
        for name, peak in sorted(self._peaks.items()):
            limit = None if name in {"parser child", "postgres", "nats"} else _LIMITS_MB.get(name, _OTHER_LIMIT_MB)
            results.append(
                Result(f"peak memory, {name}", peak / 2**20, "MB", limit, "below", "resident set of the process")
            )
        return results

    def _watch(self) -> None:
        while not self._stopping.wait(0.2):
            for name, pid in self._processes.items():
                self._note(name, pid)

    def _note(self, name: str, pid: int) -> None:
        try:
            process = psutil.Process(pid)
            self._peaks[name] = max(self._peaks[name], process.memory_info().rss)
            if name == "parser":
                for child in process.children(recursive=True):
                    self._peaks["parser child"] = max(self._peaks["parser child"], child.memory_info().rss)
        except psutil.NoSuchProcess:
            return


os.environ.setdefault("LOG_LEVEL", "WARNING")
