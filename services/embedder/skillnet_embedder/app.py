"""The embedder's composition root."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from skillnet_common.contracts.work import Stage
from skillnet_common.models import registered_model
from skillnet_common.runtime import Service, StageWorker, entry_point, run_service
from skillnet_common.runtime.service import Component
from skillnet_embedder.encoding import encode_with
from skillnet_embedder.handlers import EmbedHandler
from skillnet_embedder.settings import EmbedderSettings
from skillnet_inference.factory import model_identity, open_encoder
from skillnet_inference.settings import EmbeddingSettings


@entry_point
def main() -> None:
    """Runs the embedder until SIGTERM. It takes the work of its own model only."""
    settings = EmbedderSettings()
    embedding = EmbeddingSettings()
    identity = model_identity(embedding)

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        model = await registered_model(service.database, identity.fingerprint, configured=identity.slug)
        encoder = await asyncio.to_thread(open_encoder, embedding)
        encode = encode_with(encoder, late_interaction=settings.late_interaction)
        handler = EmbedHandler(service.database, encode, sends_text=embedding.sends_text)
        try:
            yield [StageWorker(service, settings, Stage.EMBED, handler, model=model)]
        finally:
            encoder.close()

    run_service("embedder", settings, compose)
