"""Paths as typed on a command line into files to ingest, each with its key."""

from __future__ import annotations

import glob
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from skillnet_common.errors import ErrorCode, SkillnetError


@dataclass(frozen=True, slots=True)
class FileToIngest:
    """A file and the external key of its document."""

    path: Path
    key: str


def files_to_ingest(arguments: Iterable[str], root: Path | None) -> list[FileToIngest]:
    """Files, the files below folders (hidden ones left out), and what globs match; each once, in order.

    The key is the path relative to `root`, else the absolute path: the same file is the same document, whatever
    folder the command is typed in. Below a root it is what an archive of that folder gives the file, accents composed
    as there. Raises SkillnetError `not_found` for an argument that names nothing.
    """
    base = root.resolve() if root is not None else None
    paths = dict.fromkeys(path.resolve() for argument in arguments for path in _expand(argument))
    return [FileToIngest(path, _key(path, base)) for path in paths]


def _expand(argument: str) -> Iterator[Path]:
    path = Path(argument).expanduser()
    if not argument.strip():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "A path must not be empty.")
    if path.is_dir():
        yield from _below(path)
    elif path.is_file():
        yield path
    elif path.exists():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{argument} is no regular file.")
    else:
        matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - an absolute pattern
        if not matches:
            raise SkillnetError(ErrorCode.NOT_FOUND, f"There is no file, folder or match for {argument!r}.")
        for match in matches:
            yield from _below(Path(match)) if Path(match).is_dir() else [Path(match)]


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _key(path: Path, base: Path | None) -> str:
    if base is None:
        return path.as_posix()
    if not path.is_relative_to(base):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{path} does not lie under the root {base}.")
    return unicodedata.normalize("NFC", path.relative_to(base).as_posix())
