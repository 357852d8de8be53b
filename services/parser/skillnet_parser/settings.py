"""Settings of the parser."""

from __future__ import annotations

from skillnet_common.settings import ObjectStoreSettings, WorkSettings


class ParserSettings(WorkSettings, ObjectStoreSettings):
    """Each limit holds for one file; a file that exceeds it fails with a code of its own."""

    parse_cpu_seconds: int = 120
    parse_wall_seconds: float = 180.0
    parse_memory_mb: int = 1024
    parse_max_pages: int = 2_000
