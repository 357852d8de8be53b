"""Exit codes, and how an error reaches the person who typed the command."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import ParamSpec, TypeVar

import typer
from pydantic import ValidationError

from skillnet_client import SkillnetApiError
from skillnet_common.errors import ErrorCode, SkillnetError

P = ParamSpec("P")
R = TypeVar("R")


class Exit(IntEnum):
    """What a script can tell from the exit code."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNAVAILABLE = 3
    NOT_FOUND = 4
    UNAUTHORIZED = 5


_CODES: dict[str, Exit] = {
    ErrorCode.UNAVAILABLE: Exit.UNAVAILABLE,
    ErrorCode.TIMEOUT: Exit.UNAVAILABLE,
    ErrorCode.NOT_FOUND: Exit.NOT_FOUND,
    ErrorCode.UNAUTHORIZED: Exit.UNAUTHORIZED,
    ErrorCode.FORBIDDEN: Exit.UNAUTHORIZED,
    ErrorCode.INVALID_REQUEST: Exit.USAGE,
    ErrorCode.QUERY_EMPTY: Exit.USAGE,
    ErrorCode.INVALID_TEMPLATE: Exit.USAGE,
}


def reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Turns an error with a code into one sentence on standard error and an exit code; JSON with --json."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except SkillnetApiError as error:
            _leave(error.code, error.detail, as_json=bool(kwargs.get("as_json")))
        except SkillnetError as error:
            _leave(error.code, error.message, as_json=bool(kwargs.get("as_json")))
        except ValidationError as error:
            _leave(ErrorCode.INVALID_REQUEST, _sentence(error), as_json=bool(kwargs.get("as_json")))
        except OSError as error:
            if error.filename is None:  # nothing that the person could mend by its name
                raise
            _leave(
                ErrorCode.INTERNAL_ERROR, f"{error.filename}: {error.strerror}", as_json=bool(kwargs.get("as_json"))
            )
        raise AssertionError("unreachable")

    return run


def _sentence(error: ValidationError) -> str:
    """What does not have its form, without the values."""
    faults = ((".".join(map(str, fault["loc"])), fault["msg"]) for fault in error.errors())
    return "; ".join(f"{name}: {message}" if name else message for name, message in faults)


def _leave(code: str, message: str, *, as_json: bool) -> None:
    if as_json:
        sys.stderr.write(json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write(f"skillnet: {message} [{code}]\n")
    raise typer.Exit(_CODES.get(code, Exit.FAILED))
