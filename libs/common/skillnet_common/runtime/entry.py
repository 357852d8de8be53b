"""The edge of a process: a wrong configuration ends it with a sentence, not with a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps

from pydantic import ValidationError

from skillnet_common.errors import PassingFault, SkillnetError

EX_CONFIG = 78
"""Of sysexits.h: starting again cannot help."""
EX_TEMPFAIL = 75
"""Of sysexits.h: starting again later may help."""


def entry_point(main: Callable[[], None]) -> Callable[[], None]:
    """Wraps a service's `main`: settings that do not fit or an error with a code end it and say why."""

    @wraps(main)
    def run() -> None:
        try:
            main()
        except ValidationError as error:
            _leave(EX_CONFIG, "; ".join(_setting_fault(fault["loc"], fault["msg"]) for fault in error.errors()))
        except PassingFault as error:
            _leave(EX_TEMPFAIL, f"{error.message} [{error.code}]")
        except SkillnetError as error:
            _leave(EX_CONFIG, f"{error.message} [{error.code}]")

    return run


def _setting_fault(place: tuple[int | str, ...], message: str) -> str:
    name = "_".join(str(part) for part in place).upper() or "settings"
    return f"{name}: {message}"


def _leave(code: int, reason: str) -> None:
    sys.stderr.write(f"cannot start: {reason}\n")
    sys.exit(code)
