"""From an uploaded original to a parsed version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from skillnet_common.contracts.usage import UsageKind
from skillnet_common.contracts.work import Stage
from skillnet_common.database.pool import Database
from skillnet_common.documents.parsed import ParsedDocument
from skillnet_common.objects import Originals
from skillnet_common.usage import add_usage
from skillnet_common.versions import lock_version
from skillnet_common.versions.contents import save_parsed
from skillnet_common.versions.locks import DocumentGone
from skillnet_common.work.claims import Claim, add_work, settle
from skillnet_parser.scratch import scratch_folder

Read = Callable[[Path, str], Awaitable[ParsedDocument]]
"""Reads a file, given its name at upload. Raises PermanentFault with the reason a file cannot be read."""

_FIND = (
    "SELECT object_key, file_name FROM document_versions"
    " WHERE org_id = $1 AND document_id = $2 AND version = $3 AND state = 'uploaded'"
)


class ParseHandler:
    """Reads the original in a child process, then writes everything in one transaction."""

    def __init__(self, database: Database, originals: Originals, read: Read) -> None:
        self._database = database
        self._originals = originals
        self._read = read

    async def __call__(self, claim: Claim) -> None:
        """Does one claimed piece. Raises DocumentGone where the version is gone, and the faults of reading."""
        async with self._database.tenant(claim.org_id) as connection:
            row = await connection.fetchrow(_FIND, claim.org_id, claim.document_id, claim.version)
        if row is None:
            raise DocumentGone
        with scratch_folder() as folder:
            original = folder / "original"
            await self._originals.read_to(row["object_key"], original)
            parsed = await self._read(original, row["file_name"])
        await self._save(claim, parsed)

    async def _save(self, claim: Claim, parsed: ParsedDocument) -> None:
        async with self._database.tenant(claim.org_id) as connection:
            await lock_version(connection, claim.org_id, claim.document_id, claim.version, expect="uploaded")
            await settle(connection, claim)
            await save_parsed(connection, claim.org_id, claim.document_id, claim.version, parsed)
            await add_work(
                connection, claim.org_id, Stage.CHUNK, claim.document_id, claim.version, len(parsed.text) // 1024
            )
            await add_usage(connection, claim.org_id, {UsageKind.PAGES_PARSED: parsed.page_count})
