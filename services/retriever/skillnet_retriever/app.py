"""The retriever's composition root."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from uuid import UUID

from skillnet_common.auth import Authenticator
from skillnet_common.consent import Consent, has_consent
from skillnet_common.contracts import subjects
from skillnet_common.database.vector_indexes import ExactSettings
from skillnet_common.messaging.responder import Responder
from skillnet_common.models import require_serving
from skillnet_common.runtime import Service, entry_point, run_service
from skillnet_common.runtime.responding import RespondingComponent
from skillnet_common.runtime.service import Component
from skillnet_common.usage import open_meter
from skillnet_inference.budget import count_llm_tokens
from skillnet_inference.factory import model_identity, open_encoder
from skillnet_inference.rerank.opening import open_reranker
from skillnet_inference.rerank.settings import RerankSettings
from skillnet_inference.settings import EmbeddingSettings
from skillnet_retriever.calibrations import StoredCalibration, carried_calibration
from skillnet_retriever.corpus import Corpus
from skillnet_retriever.domain.reranking import RerankRule
from skillnet_retriever.finding import ServingModel
from skillnet_retriever.handlers import request_handlers
from skillnet_retriever.questions import QuestionEncoder
from skillnet_retriever.reranking import Reranking
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings


@entry_point
def main() -> None:
    """Runs the retriever until SIGTERM. Refuses to start, or to be ready, beside another serving model."""
    settings = RetrieverSettings()
    embedding = EmbeddingSettings()
    rerank = RerankSettings()
    identity = model_identity(embedding)

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        registered = await require_serving(service.database, identity.fingerprint, configured=identity.slug)

        async def speaks_serving_model() -> None:
            await require_serving(service.database, identity.fingerprint, configured=identity.slug)

        async def has_given(consent: Consent, org_id: UUID) -> bool:
            async with service.database.tenant(org_id, readonly=True) as connection:
                return await has_consent(connection, org_id, consent)

        service.ready_checks.append(speaks_serving_model)
        service.capacity = settings.retriever_concurrency
        encoder = await asyncio.to_thread(open_encoder, embedding)
        reranker = await asyncio.to_thread(open_reranker, rerank)
        retriever = Retriever(
            Corpus(
                service.database,
                registered.model_id,
                registered.slug,
                timeout=settings.search_timeout_seconds,
                exact_chunks=ExactSettings().exact_chunks,
            ),
            QuestionEncoder(
                encoder,
                cache_size=settings.query_cache_size,
                with_tokens=settings.late_interaction and encoder.gives_tokens,
            ),
            ServingModel(registered.model_id, registered.slug, carried_calibration(identity)),
            settings,
            count_llm_tokens,
            partial(has_given, Consent.EMBEDDING) if embedding.sends_text else None,
            Reranking(
                reranker,
                RerankRule(rerank.candidates, rerank.min_candidates, rerank.close_share),
                seconds=rerank.timeout_seconds,
                may_send=partial(has_given, Consent.RERANK) if rerank.sends_text else None,
            ),
            StoredCalibration(service.database, registered.model_id),
        )
        try:
            async with open_meter(service.database) as meter:
                responder = Responder(
                    service.bus.client,
                    queue=subjects.RETRIEVAL_QUEUE,
                    handlers=request_handlers(retriever, Authenticator(service.database), meter),
                    concurrency=settings.retriever_concurrency,
                )
                component = RespondingComponent(responder)
                service.ready_checks.append(component.check_listening)
                yield [component]
        finally:
            encoder.close()
            if reranker is not None:
                await reranker.close()

    run_service("retriever", settings, compose)
