"""The parser's composition root."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from skillnet_common.contracts.work import Stage
from skillnet_common.objects import Originals
from skillnet_common.runtime import Service, StageWorker, entry_point, run_service
from skillnet_common.runtime.service import Component
from skillnet_parser.handlers import ParseHandler
from skillnet_parser.limits import MEBIBYTE, ParseLimits
from skillnet_parser.sandbox import Sandbox
from skillnet_parser.scratch import sweep_scratch
from skillnet_parser.settings import ParserSettings


@entry_point
def main() -> None:
    """Runs the parser until SIGTERM."""
    settings = ParserSettings()
    limits = ParseLimits(
        wall_seconds=settings.parse_wall_seconds,
        cpu_seconds=settings.parse_cpu_seconds,
        memory_bytes=settings.parse_memory_mb * MEBIBYTE,
        max_pages=settings.parse_max_pages,
    )

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        sweep_scratch()
        async with Sandbox(limits) as sandbox:
            handler = ParseHandler(service.database, Originals(settings.object_store_url), sandbox.parse_file)
            yield [StageWorker(service, settings, Stage.PARSE, handler)]

    run_service("parser", settings, compose)
