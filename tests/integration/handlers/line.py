"""The services' own handlers in a row, over a real database and object store.

Only the model is left out: texts are counted in words, and a vector of four dimensions is derived from its text.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np

from skillnet_chunker.handlers import ChunkHandler
from skillnet_chunker.sizes import ChunkRules
from skillnet_common.chunk_sizes import OwnSizes
from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.database import Database
from skillnet_common.documents import ParsedDocument
from skillnet_common.objects import Originals
from skillnet_common.pipeline import pipeline_fingerprint
from skillnet_common.runtime.worker import DoWork
from skillnet_common.settings import ChunkSettings
from skillnet_common.versions import Upload, UploadResult, accept_upload, delete_document
from skillnet_common.work import Claim, WorkTable
from skillnet_embedder.handlers import EmbedHandler
from skillnet_inference.token_vectors import EncodedPassages
from skillnet_inference.vectors import Vectors
from skillnet_parser.domain.language import with_language
from skillnet_parser.handlers import ParseHandler
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

RULES = ChunkRules(ChunkSettings(chunk_min_tokens=4), window=512, passage_prefix="passage: ")
SIZES = RULES.sizes(OwnSizes())
OPTIONS = RULES.options(SIZES)
"""Small enough a minimum that every section of these tests is a chunk of its own."""
BATCH_TOKENS = 40
"""Two of the chunks of `manual`, which has three: its work is two batches."""


class WordCounter:
    """A token a word."""

    def count(self, final_text: str, /) -> int:
        return len(final_text.split())


class RecordingEncoder:
    """Unit vectors of four dimensions, and with late interaction a byte a word; remembers what it was asked."""

    def __init__(self, *, late_interaction: bool = True) -> None:
        self.texts: list[str] = []
        self.late_interaction = late_interaction

    async def __call__(self, texts: Sequence[str]) -> EncodedPassages:
        self.texts += texts
        bits = [token_bits_of(text) for text in texts] if self.late_interaction else None
        return EncodedPassages(np.stack([vector_of(text) for text in texts]), bits)


def vector_of(text: str) -> Vectors:
    """The vector of a text."""
    raw = np.frombuffer(hashlib.sha256(text.encode()).digest()[:4], np.uint8).astype(np.float32) + 1
    unit: Vectors = raw / np.linalg.norm(raw)
    return unit


def token_bits_of(text: str) -> bytes:
    """The sign bits of a text's tokens: a byte a word."""
    return bytes(len(word) for word in text.split())


async def read_in_process(path: Path, file_name: str) -> ParsedDocument:
    """What the sandbox's child does, without the child."""
    parsed = await asyncio.to_thread(parse_path, path, file_name, ParseLimits(), lambda *_: None)
    return with_language(parsed)


class Line:
    """The way of one organisation's documents from upload to live, a piece of work at a time."""

    def __init__(self, database: Database, originals: Originals, org_id: UUID) -> None:
        self.database = database
        self.originals = originals
        self.org_id = org_id
        self.sizes = SIZES
        self.encoder = RecordingEncoder()
        self.parser = ParseHandler(database, originals, read_in_process)
        self.chunker = ChunkHandler(database, WordCounter(), RULES, batch_tokens=BATCH_TOKENS)
        self.embedder = EmbedHandler(database, self.encoder)
        self.table = work_table(database)

    async def upload(self, key: str, content: str, **fields: Any) -> UploadResult:
        """Stores the text and makes it the next version of the document `key`."""
        stored = await self.originals.write(self.org_id, _body(content.encode()), max_bytes=1_000_000)
        upload = Upload(
            org_id=self.org_id,
            external_key=key,
            file_name=f"{key}.md",
            object_key=stored.key,
            sha256=stored.sha256,
            size=stored.size,
            pipeline_fingerprint=pipeline_fingerprint(self.sizes),
            **fields,
        )
        async with self.database.tenant(self.org_id) as connection:
            return await accept_upload(connection, upload)

    async def claim(self, stage: Stage, table: WorkTable | None = None) -> Claim:
        """Claims the oldest open work of the stage."""
        message = (await self.messages(stage))[0]
        claim = await (table or self.table).claim(message)
        assert claim is not None
        return claim

    async def messages(self, stage: Stage) -> list[WorkMessage]:
        """A message for each piece of open work of the stage, oldest first."""
        rows = await self.fetch(
            "SELECT work_id FROM work WHERE stage = $1 AND state IN ('waiting', 'released', 'claimed')"
            " ORDER BY work_id",
            stage,
        )
        return [WorkMessage(org_id=self.org_id, work_id=row["work_id"], stage=stage, release=1) for row in rows]

    async def do(self, claim: Claim) -> None:
        """Has the claim's own service do it."""
        handlers: dict[Stage, DoWork] = {
            Stage.PARSE: self.parser,
            Stage.CHUNK: self.chunker,
            Stage.EMBED: self.embedder,
        }
        await handlers[claim.stage](claim)

    async def drain(self, *stages: Stage) -> None:
        """Does all open work of the stages (by default of all), one after the other."""
        for stage in stages or tuple(Stage):
            while await self.messages(stage):
                await self.do(await self.claim(stage))

    async def publish(self, key: str, content: str, **fields: Any) -> UploadResult:
        """An upload and everything that follows."""
        result = await self.upload(key, content, **fields)
        await self.drain()
        return result

    async def delete(self, document_id: UUID) -> None:
        async with self.database.tenant(self.org_id) as connection:
            assert await delete_document(connection, self.org_id, document_id)

    async def fetch(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """Rows the organisation sees."""
        async with self.database.tenant(self.org_id) as connection:
            return await connection.fetch(query, *arguments)

    async def one(self, query: str, *arguments: object) -> asyncpg.Record:
        """The only row of a query."""
        (row,) = await self.fetch(query, *arguments)
        return row

    async def events(self, kind: str = "document.updated") -> list[dict[str, Any]]:
        """Payloads of the outbox, oldest first."""
        rows = await self.fetch("SELECT payload FROM outbox WHERE type = $1 ORDER BY outbox_seq", kind)
        return [row["payload"] for row in rows]

    async def written(self) -> dict[str, int]:
        """How many rows there are of each thing that handlers write, and how much work is open."""
        tables = ("document_texts", "document_sections", "document_chunks", "chunk_postings", "chunk_embeddings")
        counts = {table: (await self.one(f"SELECT count(*) AS n FROM {table}"))["n"] for table in tables}
        open_work = "SELECT count(*) AS n FROM work WHERE state IN ('waiting', 'released', 'claimed')"
        return {**counts, "open_work": (await self.one(open_work))["n"]}


def work_table(database: Database, *, lease_seconds: float = 60) -> WorkTable:
    """One instance's view of the work."""
    return WorkTable(database, instance="test", lease_seconds=lease_seconds, max_attempts=5, retry_seconds=0)


async def _body(content: bytes) -> AsyncIterator[bytes]:
    yield content
