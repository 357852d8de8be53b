"""What is wrong with a dataset, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skillnet_common.errors import ErrorCode, SkillnetError


class DatasetError(SkillnetError):
    """A dataset that cannot be read: `invalid_request` with the file and the line."""

    def __init__(self, path: Path, reason: str, *, line: int | None = None) -> None:
        place = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(ErrorCode.INVALID_REQUEST, f"{place}: {reason}")


def text_of(path: Path) -> str:
    """The file's text. Raises DatasetError where there is none to read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DatasetError(path, error.strerror or "cannot be read") from error
    except UnicodeDecodeError as error:
        raise DatasetError(path, "is not UTF-8 text") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line's number and object; empty lines are passed over."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError(path, f"no JSON ({error.msg})", line=number) from error
        except RecursionError as error:
            raise DatasetError(path, "no JSON that is read: it is nested too deep", line=number) from error
        if not isinstance(entry, dict):
            raise DatasetError(path, "no JSON object", line=number)
        yield number, entry
