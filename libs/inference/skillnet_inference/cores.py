"""How many processor cores this process may use."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

_CGROUP_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def available_cores(cgroup_limit: Path = _CGROUP_LIMIT) -> int:
    """Cores of the process's affinity, or fewer where its container has a quota (cgroup v2); at least 1."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(cores, _quota(cgroup_limit) or cores))


def _quota(file: Path) -> int | None:
    try:
        quota, period = file.read_text("ascii").split()
    except (OSError, ValueError):  # no container, or not version 2
        return None
    return None if quota == "max" else math.ceil(int(quota) / int(period))
