"""What the supervisor runs: a program, its environment, how many of it, and when it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceProcess:
    """A service to keep running.

    `env` is its whole environment, to which the supervisor adds `port_variable`: the port on 127.0.0.1 where the
    service must answer GET /readyz with 200 once it can work. At the stop, services of a lower `stop_order`
    drain before those of a higher one, those of the same one together, each for at most `stop_seconds`.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    replicas: int = 1
    stop_order: int = 0
    stop_seconds: float = 30.0
    port_variable: str = "OPS_PORT"


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """When a process that ended is started again, in seconds.

    The delay doubles from `first_delay` to `longest_delay` while a process keeps ending, and is forgotten once one
    ran for `steady_seconds`. A process that was never ready fails for good at its `start_attempts`-th end.
    """

    first_delay: float = 1.0
    longest_delay: float = 30.0
    steady_seconds: float = 60.0
    start_attempts: int = 3

    def delay(self, failures: int) -> float:
        """Seconds to wait after the `failures`-th end in a row (1, 2, ...)."""
        return min(self.first_delay * 2.0 ** (failures - 1), self.longest_delay)


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """One supervised process as it is now; `pid` is None while it waits to be started again."""

    name: str
    pid: int | None
    port: int | None
    ready: bool
    restarts: int
