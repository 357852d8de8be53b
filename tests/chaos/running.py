"""A local stack for chaos: leases short enough to see them run out, attempts enough to survive every kill."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from skillnet_bootstrap.models import register_configured_model
from skillnet_cli.local.log_file import last_lines
from skillnet_cli.local.service_process import ProcessStatus, RestartPolicy
from skillnet_cli.local.stack import LocalStack
from skillnet_cli.stack import start_account
from skillnet_client import AsyncSkillnetClient, SkillnetApiError, UploadOptions
from skillnet_client.retries import RetryPolicy
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode
from skillnet_common.versions import document_id_for

from .corpus import Action

_SETTINGS = {
    "WORK_LEASE_SECONDS": "3",
    "WORK_MAX_ATTEMPTS": "100",
    "WORK_RETRY_SECONDS": "0.2",
    "RECONCILE_SECONDS": "1",
    "REAP_SECONDS": "0.5",
    "CLEANUP_SECONDS": "1",
    "ORPHAN_SECONDS": "0.5",
}
_OTHER_STACKS = ("DATABASE_", "NATS_", "OBJECT_STORE_", "SKILLNET_")
_PATIENCE_SECONDS = 120.0
_LINE_LENGTH = 300
_PASSING = {ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT}

Reply = TypeVar("Reply")


@dataclass(frozen=True)
class Running:
    """A started stack with what a test needs of it. `database` is a pool of the services' role."""

    stack: LocalStack
    org: UUID
    client: AsyncSkillnetClient
    database: Database

    @property
    def folder(self) -> Path:
        return self.stack.data_folder

    @property
    def admin_url(self) -> str:
        """The address of the database for the server's superuser."""
        address = urlsplit(self.stack.state.environment["DATABASE_URL"])
        password = (self.folder / "postgres" / "cluster" / "superuser_password").read_text(encoding="utf-8")
        return address._replace(netloc=f"postgres:{password}@{address.hostname}:{address.port}").geturl()

    def document_id(self, key: str) -> UUID:
        return document_id_for(self.org, "upload", key)

    def process(self, name: str) -> ProcessStatus:
        return next(process for process in self.stack.state.processes if process.name == name)

    def replicas(self, service: str) -> list[str]:
        """The names of the service's processes."""
        names = [process.name for process in self.stack.state.processes]
        return [name for name in names if name == service or name.startswith(f"{service}-")]

    def log_tails(self, count: int = 8) -> str:
        """The last lines of every log, cut where they are long, for the message of a failure."""
        paths = sorted((self.folder / "logs").glob("*.log"))
        paths += [self.folder / "nats" / "nats.log", self.folder / "postgres" / "postgres.log"]
        lines = [line for path in paths for line in (f"--- {path.name}", *last_lines(path, count).splitlines())]
        return "\n".join(line[:_LINE_LENGTH] for line in lines)

    async def send(self, action: Action) -> None:
        """Makes the request, again and again while the stack is in no state to answer."""
        await _persist(lambda: self._send_once(action))

    async def best_document(self, question: str) -> UUID:
        """The document whose passage answers best; asked for again while the stack is in no state to answer."""
        reply = await _persist(lambda: self.client.search(question))
        return reply.passages[0].document_id

    async def _send_once(self, action: Action) -> None:
        source = action.source
        if action.version is None:
            await self._delete_once(source.key)
            return
        options = UploadOptions(
            filename=source.key, courses=source.courses, idempotency_key=f"{source.key}:{action.version}"
        )
        reply = await self.client.upload(source.versions[action.version - 1], options)
        assert reply.version == action.version, f"{source.key}: an upload was counted twice"

    async def _delete_once(self, key: str) -> None:
        try:
            await self.client.delete(self.document_id(key))
        except SkillnetApiError as error:
            if error.code != ErrorCode.NOT_FOUND:  # an earlier attempt, whose reply was lost, deleted it
                raise


async def _persist(call: Callable[[], Awaitable[Reply]]) -> Reply:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while True:
            try:
                return await call()
            except SkillnetApiError as error:
                if error.code not in _PASSING:
                    raise
            await asyncio.sleep(0.1)


@asynccontextmanager
async def running_stack_in(folder: Path, scale: Mapping[str, int] | None = None) -> AsyncIterator[Running]:
    """Starts a stack whose processes come back at once, and stops it."""
    stack = LocalStack(
        folder,
        scale,
        environment=_environment(),
        register_model=register_configured_model,
        policy=RestartPolicy(first_delay=0.05, longest_delay=0.2),
        fast=True,
    )
    async with stack:
        account = await start_account(stack)
        database = await Database.connect(stack.state.environment["DATABASE_URL"], size=2, name="chaos")
        try:
            async with AsyncSkillnetClient(
                stack.address, account.api_key, timeout=20, retry=RetryPolicy(retries=0)
            ) as client:
                yield Running(stack, account.org, client, database)
        finally:
            await database.close()


def _environment() -> dict[str, str]:
    """This process's environment without the addresses of other stacks."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OTHER_STACKS)}
    return {**own, **_SETTINGS}
