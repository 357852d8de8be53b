"""Where an export goes: a folder, which a second run completes, or an archive, which is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from skillnet_common.errors import ErrorCode, SkillnetError

MANIFEST = "manifest.json"

Fetch = Callable[[Path], None]
"""Writes a file to a path, whole or not at all."""


class Sink(ABC):
    """Takes files under names in slashes. A context manager; `finish` makes the export whole."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self._scratch = Path(tempfile.mkdtemp(prefix="skillnet-export-"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._scratch)

    def scratch(self, name: str) -> Path:
        """A path for a file that is written line by line, to be `take`n later."""
        return self._scratch / name

    @abstractmethod
    def has(self, name: str, sha256: str, size: int) -> bool:
        """Whether an earlier run brought this very file."""

    @abstractmethod
    def fetch(self, name: str, fetch: Fetch) -> None:
        """Lets the file be written."""

    @abstractmethod
    def take(self, name: str, file: Path) -> None:
        """Takes a file of `scratch`."""

    @abstractmethod
    def finish(self, manifest: str) -> None:
        """The last file, which says what the others are."""


class FolderSink(Sink):
    """Originals stay where they are as soon as they are whole; the lists are replaced at the end."""

    def __init__(self, target: Path) -> None:
        _require_own_folder(target)
        super().__init__(target)
        target.mkdir(parents=True, exist_ok=True)
        self._write_manifest('{"complete": false}')

    def has(self, name: str, sha256: str, size: int) -> bool:
        """Read and compared: a name alone proves nothing."""
        path = self.target / name
        if not path.is_file() or path.stat().st_size != size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256

    def fetch(self, name: str, fetch: Fetch) -> None:
        """Into its place."""
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        fetch(path)

    def take(self, name: str, file: Path) -> None:
        """Replaces what an earlier run left."""
        part = self.target / f".{name}.part"
        shutil.copyfile(file, part)
        part.replace(self.target / name)

    def finish(self, manifest: str) -> None:
        """The manifest says `complete` from now on."""
        self._write_manifest(manifest)

    def _write_manifest(self, text: str) -> None:
        part = self.target / f".{MANIFEST}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(self.target / MANIFEST)


class _ArchiveSink(Sink):
    """Grows beside its place, and is moved there when it is whole."""

    def __init__(self, target: Path) -> None:
        super().__init__(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._part = target.with_name(f".{target.name}.{uuid4().hex}.part")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self._part.unlink(missing_ok=True)
        super().__exit__(kind, error, trace)

    def has(self, name: str, sha256: str, size: int) -> bool:  # noqa: ARG002 - it is always new
        """Never."""
        return False

    def fetch(self, name: str, fetch: Fetch) -> None:
        """One file at a time beside the archive."""
        path = self.scratch("original")
        fetch(path)
        self.take(name, path)

    def take(self, name: str, file: Path) -> None:
        """Packs it, and takes it away."""
        self._pack(name, file)
        file.unlink()

    def finish(self, manifest: str) -> None:
        """Moves the archive to its place."""
        path = self.scratch(MANIFEST)
        path.write_text(manifest, encoding="utf-8")
        self.take(MANIFEST, path)
        self._close()
        self._part.replace(self.target)

    @abstractmethod
    def _pack(self, name: str, file: Path) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...


class ZipSink(_ArchiveSink):
    """`.zip`."""

    def __init__(self, target: Path) -> None:
        super().__init__(target)
        self._archive = zipfile.ZipFile(self._part, "x", zipfile.ZIP_DEFLATED)

    def _pack(self, name: str, file: Path) -> None:
        self._archive.write(file, name)

    def _close(self) -> None:
        self._archive.close()


class TarSink(_ArchiveSink):
    """`.tar`, or `.tar.gz` and `.tgz`."""

    def __init__(self, target: Path, *, packed: bool) -> None:
        super().__init__(target)
        self._archive = tarfile.open(self._part, "x:gz") if packed else tarfile.open(self._part, "x:")  # noqa: SIM115

    def _pack(self, name: str, file: Path) -> None:
        self._archive.add(file, name)

    def _close(self) -> None:
        self._archive.close()


def sink_for(target: Path, *, force: bool) -> Sink:
    """By the target's ending. SkillnetError `invalid_request` for an archive that is there, unless with `force`."""
    name = target.name.lower()
    packed = name.endswith((".tar.gz", ".tgz"))
    if not packed and not name.endswith((".zip", ".tar")):
        return FolderSink(target)
    if target.exists() and not force:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{target} is there already; write over it by --force.")
    return ZipSink(target) if name.endswith(".zip") else TarSink(target, packed=packed)


def _require_own_folder(target: Path) -> None:
    """An export goes into a new or empty folder, or completes an earlier one: it never mixes with other files."""
    if not target.exists():
        return
    if not target.is_dir():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{target} is no folder, and its ending names no archive.")
    if any(target.iterdir()) and not _is_export(target / MANIFEST):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{target} is not empty, and holds no earlier export.")


def _is_export(manifest: Path) -> bool:
    try:
        return "complete" in json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
