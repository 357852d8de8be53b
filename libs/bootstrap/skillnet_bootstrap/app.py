"""The one-shot program that containers run before the services: `python -m skillnet_bootstrap`. Safe to repeat."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from skillnet_bootstrap.models import register_configured_model
from skillnet_bootstrap.organizations import ensure_first_organization
from skillnet_bootstrap.provision import DatabaseAccess, prepare_bus, prepare_database
from skillnet_bootstrap.settings import BootstrapSettings
from skillnet_common.errors import PassingFault
from skillnet_common.runtime.entry import entry_point
from skillnet_common.runtime.logging import configure_logging

log = structlog.get_logger(__name__)

_PAUSE_SECONDS = 1.0
_Result = TypeVar("_Result")


@entry_point
def main() -> None:
    """Roles, migrations, the first model, streams and consumers, and the first organisation where a key is given.

    Ends with 0 when all of it is there, 75 where a server cannot be reached, 78 where trying again cannot help.
    """
    settings = BootstrapSettings()
    configure_logging("bootstrap", settings.log_level, settings.log_format)
    asyncio.run(bootstrap(settings))


async def bootstrap(settings: BootstrapSettings) -> None:
    """Does it. Raises PassingFault after `patience_seconds` without a server, PermanentFault for what is wrong."""
    access = DatabaseAccess(settings.database_admin_url.get_secret_value(), settings.role_passwords)
    deadline = time.monotonic() + settings.patience_seconds
    models = await _patiently(lambda: prepare_database(access, register_configured_model), deadline)
    log.info("database_ready", models=models)
    created = await _patiently(lambda: prepare_bus(settings.bus, models), deadline)
    log.info("bus_ready", created=created)
    if settings.first_api_key is not None:
        key = settings.first_api_key.get_secret_value()
        org_id = await ensure_first_organization(access, settings.first_organization_name, key)
        if org_id is not None:
            log.info("organization_created", org_id=str(org_id))


async def _patiently(attempt: Callable[[], Awaitable[_Result]], deadline: float) -> _Result:
    while True:
        try:
            return await attempt()
        except PassingFault as fault:
            if time.monotonic() + _PAUSE_SECONDS > deadline:
                raise
            log.info("waiting", reason=fault.message)
            await asyncio.sleep(_PAUSE_SECONDS)
