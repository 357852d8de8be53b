"""Free TCP ports on the loopback interface."""

from __future__ import annotations

import random
import socket
from pathlib import Path

from skillnet_common.errors import ErrorCode, SkillnetError

HOST = "127.0.0.1"
_LOWEST = 15000
_EPHEMERAL_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_DEFAULT_EPHEMERAL_LOW = 32768
_ATTEMPTS = 200


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now (a port in TIME_WAIT counts as free)."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port(preferred: int | None = None) -> int:
    """`preferred` if it is free, else a random free port. Another process may still take it first: retry.

    Ports of the kernel's ephemeral range are avoided: there an outgoing connection may hold the port of a
    server that restarts, and a client that reconnects to a dead local server can even connect to itself.
    """
    if preferred is not None and is_free(preferred):
        return preferred
    for _ in range(_ATTEMPTS):
        port = random.randint(_LOWEST, _ephemeral_low() - 1)  # noqa: S311 - spreads parallel servers, no secret
        if is_free(port):
            return port
    raise SkillnetError(ErrorCode.UNAVAILABLE, f"Found no free TCP port on {HOST} in {_ATTEMPTS} attempts.")


def _ephemeral_low() -> int:
    if not _EPHEMERAL_RANGE.exists():
        return _DEFAULT_EPHEMERAL_LOW
    low = int(_EPHEMERAL_RANGE.read_text().split()[0])
    return low if low > _LOWEST + 1000 else _DEFAULT_EPHEMERAL_LOW
