"""Many files at once: each becomes a document, or is refused by itself."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from uuid import UUID

from skillnet_common.auth import Principal
from skillnet_common.contracts.bulk import BulkFile, BulkOutcome, BulkSummary
from skillnet_common.errors import ErrorCode, PassingFault, RequestError, SkillnetError
from skillnet_common.versions import UploadResult
from skillnet_gateway.archives import Archive, Entry, open_archive
from skillnet_gateway.bodies import require_size, spool, watched
from skillnet_gateway.parameters import BulkParameters, VersionParameters
from skillnet_gateway.problems import fault_of
from skillnet_gateway.rights import require_own_groups
from skillnet_gateway.settings import GatewaySettings
from skillnet_gateway.uploads import Uploads, new_target


class BulkUploads:
    """Takes archives in: on disk whole, in memory piece by piece, a few at a time."""

    def __init__(self, uploads: Uploads, settings: GatewaySettings) -> None:
        self._uploads = uploads
        self._settings = settings
        self._open: Counter[UUID] = Counter()

    @contextmanager
    def place(self, org_id: UUID) -> Iterator[None]:
        """Room on the disk for one archive. PassingFault `unavailable` where there is none left."""
        settings = self._settings
        if (
            self._open.total() >= settings.bulk_uploads
            or self._open[org_id] >= settings.bulk_uploads_per_organization
        ):
            raise PassingFault(ErrorCode.UNAVAILABLE, "Other archives are being taken in; try again in a moment.")
        self._open[org_id] += 1
        try:
            yield
        finally:
            self._open[org_id] -= 1
            if not self._open[org_id]:
                del self._open[org_id]

    def require_taken(self, principal: Principal, parameters: BulkParameters, content_length: str | None) -> None:
        """Refuses what is known to be refused before the archive is sent: `forbidden`, `payload_too_large`."""
        require_own_groups(principal, parameters.audience)
        require_size(content_length, self._settings.bulk_max_bytes)

    async def open(self, body: AsyncIterator[bytes], path: Path) -> Archive:
        """Writes the body to the path and opens it. Raises RequestError as `watched`, `spool` and `open_archive`, and
        `timeout` where it takes too long as a whole."""
        await self._receive(body, path)
        return await asyncio.to_thread(
            open_archive,
            path,
            max_files=self._settings.bulk_max_files,
            max_file_bytes=self._settings.max_upload_bytes,
            max_unpacked_bytes=self._settings.bulk_max_unpacked_bytes,
        )

    async def _receive(self, body: AsyncIterator[bytes], path: Path) -> None:
        seconds = self._settings.bulk_receive_seconds
        pieces = watched(body, self._settings.upload_idle_seconds)
        try:
            async with asyncio.timeout(seconds):
                await spool(pieces, path, max_bytes=self._settings.bulk_max_bytes)
        except TimeoutError as error:
            raise RequestError(
                ErrorCode.TIMEOUT, f"The archive had not arrived after {seconds:g} s; the upload was given up."
            ) from error

    async def take(
        self, principal: Principal, parameters: BulkParameters, archive: Archive
    ) -> AsyncGenerator[BulkFile | BulkSummary, None]:
        """A line a file, and the summary. Ends early where the system itself fails. Closes the archive."""
        counts: Counter[BulkOutcome] = Counter()
        with closing(archive):
            for entry in archive.entries:
                line, goes_on = await self._take_one(principal, parameters, archive, entry)
                counts[line.outcome] += 1
                yield line
                if not goes_on:
                    break
        yield BulkSummary(counts=dict(counts), not_tried=len(archive.entries) - counts.total())

    async def _take_one(
        self, principal: Principal, parameters: BulkParameters, archive: Archive, entry: Entry
    ) -> tuple[BulkFile, bool]:
        """The file's line, and whether it makes sense to go on."""
        if entry.ignored:
            return BulkFile(path=entry.path, outcome=BulkOutcome.IGNORED), True
        try:
            result = await self._upload(principal, parameters, archive, entry)
        except Exception as error:  # the file's own line tells of it
            fault = fault_of(error)
            line = BulkFile(path=entry.path, outcome=BulkOutcome.REFUSED, code=fault.code, detail=fault.detail)
            return line, isinstance(error, SkillnetError) and not isinstance(error, PassingFault)
        outcome = BulkOutcome(result.outcome)
        line = BulkFile(path=entry.path, outcome=outcome, document_id=result.document_id, version=result.version)
        return line, True

    async def _upload(
        self, principal: Principal, parameters: BulkParameters, archive: Archive, entry: Entry
    ) -> UploadResult:
        if entry.fault is not None:
            raise entry.fault
        said = VersionParameters(**parameters.model_dump(exclude={"source"}, exclude_unset=True))
        async with aclosing(archive.pieces(entry)) as pieces:
            return await self._uploads.receive(
                principal,
                new_target(parameters.source, None, entry.path),
                said,
                watched(pieces, self._settings.upload_idle_seconds),
                idempotency_key=None,
            )
