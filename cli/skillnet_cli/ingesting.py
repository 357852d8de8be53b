"""Uploads files side by side, then follows them until each has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from uuid import UUID

import h11

from skillnet_cli.files import FileToIngest
from skillnet_client import SkillnetApiError, SkillnetClient, UploadOptions
from skillnet_common.contracts.documents import DocumentSummary, UploadReply
from skillnet_common.errors import ErrorCode

_UPLOADS_AT_ONCE = 4


@dataclass(slots=True)
class Ingested:
    """What became of one file. `code` and `reason` say why it failed; both None when it did not."""

    file: FileToIngest
    outcome: str
    document_id: UUID | None = None
    version: int | None = None
    pages: int | None = None
    code: str | None = None
    reason: str | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether the file is not what readers see now."""
        return self.code is not None


def upload_files(
    client: SkillnetClient,
    files: Iterable[FileToIngest],
    options: UploadOptions,
    on_upload: Callable[[FileToIngest], None],
    *,
    document_id: UUID | None = None,
) -> list[Ingested]:
    """Uploads every file, several at a time; a refused one is a failure of its own and stops no other.

    `options` hold for every file. With `document_id` each is its next version, and keeps its key and source.
    A gateway that cannot be reached is raised: no file would get through.
    """

    def upload(file: FileToIngest) -> Ingested:
        try:
            reply = _send(client, file, options, document_id)
        except SkillnetApiError as error:
            if error.code in {ErrorCode.UNAVAILABLE, ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN}:
                raise
            return Ingested(file, "refused", code=error.code, reason=error.detail)
        except UnicodeEncodeError:
            return Ingested(file, "unreadable", code=ErrorCode.INVALID_REQUEST, reason="Its name is no valid text.")
        except (OSError, h11.LocalProtocolError) as error:  # the latter where a file grows while it is sent
            return Ingested(file, "unreadable", code=ErrorCode.INVALID_REQUEST, reason=str(error))
        return _accepted(file, reply)

    def upload_and_tell(file: FileToIngest) -> Ingested:
        result = upload(file)
        on_upload(file)
        return result

    with ThreadPoolExecutor(_UPLOADS_AT_ONCE) as pool:
        return list(pool.map(upload_and_tell, files))


def settle(
    client: SkillnetClient, results: Sequence[Ingested], on_progress: Callable[[Sequence[DocumentSummary]], None]
) -> None:
    """Waits until each uploaded version has ended, and writes into `results` how."""
    under_way = {result.document_id: result for result in results if result.document_id is not None}
    for document_id, document in client.wait_until_settled(under_way, on_progress).items():
        _note(under_way[document_id], document)
    for result in under_way.values():
        if result.outcome == "processing":
            result.outcome, result.code = "deleted", ErrorCode.CANCELLED
            result.reason = "The document was deleted while it was being read."


def _send(
    client: SkillnetClient, file: FileToIngest, options: UploadOptions, document_id: UUID | None
) -> UploadReply:
    named = replace(options, filename=file.path.name)
    if document_id is not None:
        return client.upload_version(document_id, file.path, named)
    return client.upload(file.path, replace(named, external_key=file.key))


def _accepted(file: FileToIngest, reply: UploadReply) -> Ingested:
    outcome = "unchanged" if reply.outcome == "unchanged" else "processing"
    return Ingested(file, outcome, document_id=reply.document_id, version=reply.version)


def _note(result: Ingested, document: DocumentSummary) -> None:
    result.pages, result.warnings = document.page_count, list(document.warnings)
    if document.failure is not None and document.failure.version == result.version:
        failure = document.failure
        result.outcome = "cancelled" if failure.code == ErrorCode.CANCELLED else "failed"
        result.code, result.reason = failure.code, failure.message
    elif result.outcome == "processing":
        result.outcome = "ready"
