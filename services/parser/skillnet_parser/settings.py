"""Settings of the parser."""

from __future__ import annotations

from skillnet_common.settings import ObjectStoreSettings, WorkSettings
from skillnet_parser.limits import MEBIBYTE, ParseLimits

_LIMITS = ParseLimits()


class ParserSettings(WorkSettings, ObjectStoreSettings):
    """Each limit holds for one file; a file that exceeds it fails with a code of its own."""

    parse_cpu_seconds: int = _LIMITS.cpu_seconds
    parse_wall_seconds: float = _LIMITS.wall_seconds
    parse_memory_mb: int = _LIMITS.memory_bytes // MEBIBYTE
    parse_max_pages: int = _LIMITS.max_pages
