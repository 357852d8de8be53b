"""Log files of child processes: their last lines, and rotation by size."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MAX_LOG_BYTES = 10 * 1024 * 1024
_TAIL_BYTES = 8192


def size(path: Path) -> int:
    """Bytes in the file; 0 when it does not exist."""
    return path.stat().st_size if path.exists() else 0


def last_lines(path: Path, count: int = 15, since: int = 0) -> str:
    """The last `count` lines written after byte `since`; empty when there are none."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(since, size(path) - _TAIL_BYTES))
        text = file.read().decode("utf-8", errors="replace")
    return "\n".join(text.splitlines()[-count:])


def rotate(path: Path, max_bytes: int = MAX_LOG_BYTES) -> None:
    """Move the content to `<name>.1` when it exceeds `max_bytes`.

    The file is copied and truncated, not renamed: a running child keeps its descriptor, and since it appends,
    it goes on at the new end. Lines written between the two steps are lost.
    """
    if size(path) <= max_bytes:
        return
    shutil.copyfile(path, path.with_name(path.name + ".1"))
    os.truncate(path, 0)
