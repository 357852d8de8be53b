"""The parser's composition root."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog

from skillnet_common.contracts.work import Stage
from skillnet_common.objects import Originals
from skillnet_common.runtime import Service, StageWorker, entry_point, run_service
from skillnet_common.runtime.service import Component
from skillnet_parser.handlers import ParseHandler
from skillnet_parser.limits import OcrLimits
from skillnet_parser.sandbox import Sandbox
from skillnet_parser.scratch import sweep_scratch
from skillnet_parser.settings import ParserSettings

log = structlog.get_logger(__name__)


@entry_point
def main() -> None:
    """Runs the parser until SIGTERM."""
    settings = ParserSettings()
    limits = settings.limits()

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        sweep_scratch()
        _tell_of_recognition(limits.ocr, settings)
        async with Sandbox(limits) as sandbox:
            handler = ParseHandler(service.database, Originals(settings.object_store_url), sandbox.parse_file)
            yield [StageWorker(service, settings, Stage.PARSE, handler)]

    run_service("parser", settings, compose)


def _tell_of_recognition(ocr: OcrLimits | None, settings: ParserSettings) -> None:
    if ocr is not None:
        log.info("ocr_ready", tessdata=ocr.tessdata, languages=ocr.languages)
    elif settings.tessdata_prefix is not None:
        log.warning(
            "ocr_data_missing", tessdata=str(settings.tessdata_prefix), languages=settings.parse_ocr_languages
        )
    else:
        log.info("ocr_absent", languages=settings.parse_ocr_languages)
