"""`python -m skillnet_bootstrap.indexes`: one pass over the vector indexes of large tenants. Run it by the clock."""

from __future__ import annotations

import asyncio
import sys

import structlog
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from skillnet_bootstrap.vector_indexes import BuildSettings, Outcome, maintain_indexes
from skillnet_common.database.vector_indexes import ExactSettings
from skillnet_common.runtime.entry import entry_point
from skillnet_common.runtime.logging import configure_logging

log = structlog.get_logger(__name__)


class IndexSettings(BaseSettings):
    """The addresses of two roles, and how indexes are built."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    database_migrator_url: SecretStr
    """The owner's, who alone may build."""
    database_dispatcher_url: SecretStr
    """Of the role that sees how much each tenant has."""
    index_memory_mb: int = Field(default=512, ge=64)
    """maintenance_work_mem of a build; a graph that does not fit is built many times slower."""
    index_links: int = Field(default=24, ge=2, le=100)
    """HNSW's m."""
    index_effort: int = Field(default=200, ge=4, le=1000)
    """HNSW's ef_construction."""
    log_level: str = "INFO"
    log_format: str = Field(default="json", pattern="^(json|console)$")


@entry_point
def main() -> None:
    """Ends with 0 when every large tenant has its index or needs none, 1 when an index was refused, 75 where
    PostgreSQL cannot be reached."""
    settings = IndexSettings()
    configure_logging("indexes", settings.log_level, settings.log_format)
    outcomes = asyncio.run(run_pass(settings, ExactSettings().exact_chunks))
    if any(outcome.action == "refused" for outcome in outcomes):
        sys.exit(1)


async def run_pass(settings: IndexSettings, exact_chunks: int) -> list[Outcome]:
    """One pass, logged."""
    outcomes = await maintain_indexes(
        settings.database_migrator_url.get_secret_value(),
        settings.database_dispatcher_url.get_secret_value(),
        BuildSettings(exact_chunks, settings.index_memory_mb, settings.index_links, settings.index_effort),
    )
    for one in outcomes:
        log.info(
            f"index_{one.action}",
            org_id=str(one.org_id),
            model_id=one.model_id,
            chunks=one.chunks,
            recall=one.recall,
            seconds=round(one.seconds, 1),
        )
    log.info("indexes_maintained", changed=len(outcomes))
    return outcomes


if __name__ == "__main__":
    main()
