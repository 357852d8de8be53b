"""The gateway's composition root."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog
from fastapi import FastAPI

from skillnet_common.auth import Authenticator
from skillnet_common.contracts import subjects
from skillnet_common.messaging.responder import Responder
from skillnet_common.objects import Originals
from skillnet_common.runtime import Service, entry_point, run_service
from skillnet_common.runtime.http import HttpServer
from skillnet_common.runtime.responding import RespondingComponent
from skillnet_common.runtime.service import Component
from skillnet_common.usage import open_meter
from skillnet_gateway.answering import Answering
from skillnet_gateway.api import create_api
from skillnet_gateway.budget import Window
from skillnet_gateway.bulk import BulkUploads
from skillnet_gateway.contents import Contents
from skillnet_gateway.courses import Courses
from skillnet_gateway.courses_bus import course_handlers
from skillnet_gateway.documents import Documents
from skillnet_gateway.gateway import Gateway
from skillnet_gateway.keys import Keys
from skillnet_gateway.llm import ChatModel
from skillnet_gateway.organizations import Organizations
from skillnet_gateway.progress import ProgressStreams
from skillnet_gateway.quarantine import Quarantine
from skillnet_gateway.reprocessing import Reprocessing
from skillnet_gateway.retrieval import Retrieval
from skillnet_gateway.settings import GatewaySettings
from skillnet_gateway.uploads import Uploads
from skillnet_gateway.usage import UsageReports
from skillnet_inference.budget import count_llm_tokens

log = structlog.get_logger(__name__)

_COURSES_AT_A_TIME = 4
"""Of those that come over the bus; more wait."""


@entry_point
def main() -> None:
    """Runs the gateway until SIGTERM."""
    settings = GatewaySettings()

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        async with open_api(service, settings) as api:
            yield [HttpComponent(api, settings), answer_bus(service, api.state.gateway)]

    run_service("gateway", settings, compose)


def answer_bus(service: Service, gateway: Gateway) -> RespondingComponent:
    """What answers other services' requests, and a readiness check that it listens."""
    handlers = course_handlers(gateway.courses, gateway.authenticator)
    responder = Responder(
        service.bus.client, queue=subjects.COURSES_QUEUE, handlers=handlers, concurrency=_COURSES_AT_A_TIME
    )
    component = RespondingComponent(responder)
    service.ready_checks.append(component.check_listening)
    return component


@asynccontextmanager
async def open_api(service: Service, settings: GatewaySettings) -> AsyncIterator[FastAPI]:
    """The HTTP API on the service's database and bus."""
    model = ChatModel(settings) if settings.llm_api_base else None
    originals = Originals(settings.object_store_url)
    uploads = Uploads(service.database, originals, settings, max_bytes=settings.max_upload_bytes)
    documents = Documents(service.database)
    organizations = Organizations(service.database, settings)
    retrieval = Retrieval(service.bus.client, timeout=settings.retrieval_timeout_seconds)
    try:
        async with open_meter(service.database) as meter:
            yield create_api(
                Gateway(
                    authenticator=Authenticator(service.database),
                    organizations=organizations,
                    keys=Keys(service.database),
                    usage=UsageReports(service.database),
                    documents=documents,
                    contents=Contents(service.database),
                    courses=Courses(service.database, uploads),
                    progress=ProgressStreams(documents, settings),
                    uploads=uploads,
                    bulk=BulkUploads(uploads, settings),
                    reprocessing=Reprocessing(service.database, settings),
                    quarantine=Quarantine(service.database),
                    originals=originals,
                    retrieval=retrieval,
                    answering=Answering(
                        retrieval,
                        organizations,
                        model,
                        meter,
                        window=_window(settings),
                        rewrite_seconds=settings.llm_rewrite_seconds,
                        outline_seconds=settings.llm_outline_seconds,
                    ),
                    max_upload_bytes=settings.max_upload_bytes,
                    upload_idle_seconds=settings.upload_idle_seconds,
                    heartbeat_seconds=settings.ask_heartbeat_seconds,
                    check_ready=service.check_ready,
                )
            )
    finally:
        if model is not None:
            await model.close()


class HttpComponent:
    """Serves the API until it is stopped; running requests end first."""

    def __init__(self, api: FastAPI, settings: GatewaySettings) -> None:
        # Requests get most of the process's time to drain, so that it ends by itself and is not cut off.
        drain_seconds = settings.drain_seconds * 0.8
        self._progress: ProgressStreams = api.state.gateway.progress
        self._server = HttpServer(api, host=settings.http_host, port=settings.http_port, drain_seconds=drain_seconds)
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Serves until `stop`."""
        await self._server.start()
        log.info("serving", port=self._server.port)
        await self._stopping.wait()
        self._progress.close()
        await self._server.stop()

    def stop(self) -> None:
        """Takes no more connections."""
        self._stopping.set()


def _window(settings: GatewaySettings) -> Window:
    return Window(settings.llm_context_tokens, settings.llm_max_tokens, settings.llm_encoding, count_llm_tokens)
