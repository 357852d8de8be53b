"""`state.json` of a data folder: lets other commands find the stack that runs there."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from skillnet_cli.local.folder_lock import is_locked
from skillnet_cli.local.private_file import write_private
from skillnet_cli.local.service_process import ProcessStatus
from skillnet_common.errors import ErrorCode, SkillnetError

STACK_LOCK = "stack.lock"
"""The lock that a running stack holds in its data folder."""
_FORMAT = 1


class Phase(StrEnum):
    """What a stack is doing."""

    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True)
class StackState:
    """A stack as its other commands see it. `environment` holds addresses with their passwords."""

    pid: int
    started_at: float
    """When the stack was started, in seconds since 1970."""
    phase: Phase
    address: str
    """The gateway, such as http://127.0.0.1:20123."""
    processes: tuple[ProcessStatus, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What a client of the stack needs: DATABASE_URL and so on, as `skillnet_cli.local.stack` fills it."""

    @classmethod
    def of_this_process(cls, phase: Phase, address: str) -> Self:
        """The state of a stack that this process runs."""
        return cls(os.getpid(), time.time(), phase, address)


def state_path(data_folder: Path) -> Path:
    """Where the state of a data folder is."""
    return data_folder / "state.json"


def write_state(data_folder: Path, state: StackState) -> None:
    """Replace the state in one step; only its owner may read it."""
    write_private(state_path(data_folder), json.dumps({"format": _FORMAT, **asdict(state)}, indent=1))


def remove_state(data_folder: Path) -> None:
    """Remove the state, if there is one."""
    state_path(data_folder).unlink(missing_ok=True)


def running_stack(data_folder: Path) -> StackState | None:
    """The stack that runs in the data folder, or None; the state that a dead one left behind is removed.

    The lock tells, not the process id, which may have been given to another program.
    """
    try:
        content: dict[str, Any] = json.loads(state_path(data_folder).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if not is_locked(data_folder, STACK_LOCK):
        remove_state(data_folder)
        return None
    if (found := content.pop("format")) != _FORMAT:
        raise SkillnetError(
            ErrorCode.MISCONFIGURED, f"{state_path(data_folder)} has format {found}; this version reads {_FORMAT}."
        )
    processes = tuple(ProcessStatus(**process) for process in content.pop("processes"))
    return StackState(**{**content, "phase": Phase(content["phase"]), "processes": processes})
