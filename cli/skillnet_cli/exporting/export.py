"""Reads an organisation's documents over HTTP, and writes what they are made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, TextIO
from uuid import UUID

from pydantic import BaseModel

from skillnet_cli.exporting.sinks import MANIFEST, Sink
from skillnet_client import DocumentFilters, SkillnetApiError, SkillnetClient
from skillnet_common.contracts.documents import DocumentDetail, VersionDetail
from skillnet_common.errors import ErrorCode

FORMAT = "skillnet-export/1"
_LISTS = ("documents", "outlines", "chunks")
_MOST_NAME_BYTES = 200

_OF_ONE_DOCUMENT = {
    ErrorCode.NOT_FOUND,
    ErrorCode.ORIGINAL_MISSING,
    ErrorCode.CONTENTS_MISSING,
    ErrorCode.INTERNAL_ERROR,
}
"""What stops no other document."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of a document that is not in the export, and why. `expected`: it never was there to be had."""

    document_id: UUID
    external_key: str
    part: str
    code: str
    reason: str
    expected: bool

    def plain(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        return {
            "document_id": str(self.document_id),
            "external_key": self.external_key,
            "part": self.part,
            "code": self.code,
            "reason": self.reason,
        }


@dataclass(slots=True)
class Exported:
    """What an export holds so far. `kept`: originals that an earlier run had brought."""

    documents: int = 0
    originals: int = 0
    kept: int = 0
    bytes: int = 0
    chunks: int = 0
    left_out: list[LeftOut] = field(default_factory=list)


OnDocument = Callable[[Exported, str], None]
"""Called after every document, with its title."""


class Export:
    """One run: every document of the filters, of the version that is live, else the newest one's original."""

    def __init__(self, client: SkillnetClient, sink: Sink, *, originals: bool, contents: bool) -> None:
        self._client = client
        self._sink = sink
        self._originals = originals
        self._contents = contents
        self._done = Exported()

    def run(self, filters: DocumentFilters, on_document: OnDocument) -> tuple[Exported, dict[str, Any]]:
        """What was exported, and the manifest."""
        me = self._client.me()
        names = [f"{name}.jsonl" for name in (_LISTS if self._contents else _LISTS[:1])]
        files = {name: self._sink.scratch(name).open("w", encoding="utf-8") for name in names}
        try:
            for summary in self._client.documents(**filters):
                self._one(summary.document_id, summary.external_key, files)
                on_document(self._done, summary.title)
        finally:
            for file in files.values():
                file.close()
        for name in names:
            self._sink.take(name, self._sink.scratch(name))
        manifest = self._manifest(me.org_id, me.organization, me.audience, filters)
        self._sink.finish(json.dumps(manifest, ensure_ascii=False, indent=2))
        return self._done, manifest

    def _one(self, document_id: UUID, key: str, files: Mapping[str, TextIO]) -> None:
        try:
            document = self._client.document(document_id)
        except SkillnetApiError as error:
            if error.code != ErrorCode.NOT_FOUND:
                raise
            self._leave_out(document_id, key, "document", error.code, "It was deleted meanwhile.", expected=True)
            return
        version = document.live_version or document.newest_version
        detail = next((one for one in document.versions if one.version == version), None)
        if self._contents:
            self._guarded(document, "outline", lambda: self._outline(document, version, files["outlines.jsonl"]))
            self._guarded(document, "chunks", lambda: self._chunks(document, version, files["chunks.jsonl"]))
        if self._originals and detail is not None:
            self._guarded(document, "original", lambda: self._original(document, detail))
        _write(files["documents.jsonl"], [document])
        self._done.documents += 1

    def _guarded(self, document: DocumentDetail, part: str, step: Callable[[], None]) -> None:
        try:
            step()
        except SkillnetApiError as error:
            if error.code not in _OF_ONE_DOCUMENT:
                raise
            never_read = error.code == ErrorCode.CONTENTS_MISSING and document.live_version is None
            self._leave_out(
                document.document_id,
                document.external_key,
                part,
                error.code,
                error.detail,
                expected=never_read or error.code == ErrorCode.NOT_FOUND,
            )

    def _outline(self, document: DocumentDetail, version: int, file: TextIO) -> None:
        _write(file, [self._client.outline(document.document_id, version=version)])

    def _chunks(self, document: DocumentDetail, version: int, file: TextIO) -> None:
        """A page at a time, and all or none of a document."""
        begin = file.tell()
        count = 0
        try:
            for chunk in self._client.chunks(document.document_id, version=version):
                _write(file, [chunk])
                count += 1
        except SkillnetApiError:
            file.seek(begin)
            file.truncate()
            raise
        self._done.chunks += count

    def _original(self, document: DocumentDetail, version: VersionDetail) -> None:
        name = original_name(document.document_id, version.file_name)
        if self._sink.has(name, version.sha256, version.size_bytes):
            self._done.kept += 1
        else:
            self._sink.fetch(
                name, lambda path: self._client.original(document.document_id, path, version=version.version)
            )
        self._done.originals += 1
        self._done.bytes += version.size_bytes

    def _leave_out(self, document_id: UUID, key: str, part: str, code: str, reason: str, *, expected: bool) -> None:
        self._done.left_out.append(LeftOut(document_id, key, part, code, reason, expected))

    def _manifest(
        self, org_id: UUID, organization: str, audience: list[str] | None, filters: DocumentFilters
    ) -> dict[str, Any]:
        done = self._done
        return {
            "format": FORMAT,
            "complete": True,
            "exported_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "organization": {"org_id": str(org_id), "name": organization},
            "audience": audience,
            "filters": {name: str(value) for name, value in filters.items() if value is not None},
            "documents": done.documents,
            "originals": done.originals if self._originals else None,
            "original_bytes": done.bytes if self._originals else None,
            "chunks": done.chunks if self._contents else None,
            "left_out": [one.plain() for one in done.left_out],
        }


def original_name(document_id: UUID, file_name: str) -> str:
    """Where an original lies: in a folder of its document's, under its own name as far as disks take it."""
    name = PurePosixPath(file_name.replace("\\", "/")).name.replace("\0", "")
    if name in {"", ".", "..", MANIFEST}:
        name = "original"
    stem, dot, ending = name.rpartition(".")
    if len(name.encode()) > _MOST_NAME_BYTES:
        tail = f"{dot}{ending}" if dot and len(ending.encode()) <= 20 else ""
        room = _MOST_NAME_BYTES - len(tail.encode())
        name = (stem if tail else name).encode()[:room].decode("utf-8", errors="ignore") + tail
    return f"originals/{document_id}/{name}"


def _write(file: TextIO, models: Iterable[BaseModel]) -> None:
    for model in models:
        file.write(model.model_dump_json() + "\n")
