"""The edge of a process: a wrong configuration ends it with a sentence, not with a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps

from pydantic import ValidationError

from skillnet_common.errors import SkillnetError

EX_CONFIG = 78
"""Of sysexits.h: starting again cannot help."""


def entry_point(main: Callable[[], None]) -> Callable[[], None]:
    """Wraps a service's `main`: an error with a code, or settings that do not fit, exit with 78 and say why."""

    @wraps(main)
    def run() -> None:
        try:
            main()
        except ValidationError as error:
            _leave("; ".join(_setting_fault(fault["loc"], fault["msg"]) for fault in error.errors()))
        except SkillnetError as error:
            _leave(f"{error.message} [{error.code}]")

    return run


def _setting_fault(place: tuple[int | str, ...], message: str) -> str:
    name = "_".join(str(part) for part in place).upper() or "settings"
    return f"{name}: {message}"


def _leave(reason: str) -> None:
    sys.stderr.write(f"cannot start: {reason}\n")
    sys.exit(EX_CONFIG)
