"""The chunker's composition root."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from skillnet_chunker.handlers import ChunkHandler
from skillnet_chunker.settings import ChunkerSettings
from skillnet_chunker.sizes import rules_for
from skillnet_common.contracts.work import Stage
from skillnet_common.models import require_serving
from skillnet_common.runtime import Service, StageWorker, entry_point, run_service
from skillnet_common.runtime.service import Component
from skillnet_inference.factory import model_identity, open_tokenizer
from skillnet_inference.settings import EmbeddingSettings


@entry_point
def main() -> None:
    """Runs the chunker until SIGTERM. It needs the model's tokenizer, not its weights."""
    settings = ChunkerSettings()
    embedding = EmbeddingSettings()
    identity = model_identity(embedding)
    rules = rules_for(settings, identity)

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        # Chunks are cut to the serving model's window, so its tokenizer must be the one at hand.
        await require_serving(service.database, identity.fingerprint, configured=identity.slug)
        handler = ChunkHandler(
            service.database, open_tokenizer(embedding), rules, batch_tokens=settings.embed_batch_tokens
        )
        yield [StageWorker(service, settings, Stage.CHUNK, handler)]

    run_service("chunker", settings, compose)
