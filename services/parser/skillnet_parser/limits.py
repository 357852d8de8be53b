"""What one file may cost."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits of one parse. Times in seconds, sizes in bytes.

    `memory_bytes` bounds the address space of the child process, which is larger than what it uses.
    `max_text_chars` bounds the text, about 4,000 pages: what follows is done in memory and in one transaction.
    `max_output_bytes` bounds the JSON of the result. The three archive limits guard against zip bombs:
    the sum of all entries unpacked, their number, and how many times an entry over 5 MiB may grow.
    """

    wall_seconds: float = 180.0
    cpu_seconds: int = 120
    memory_bytes: int = 1024 * MEBIBYTE
    max_pages: int = 2000
    max_text_chars: int = 8_000_000
    max_output_bytes: int = 64 * MEBIBYTE
    max_archive_bytes: int = 200 * MEBIBYTE
    max_archive_entries: int = 2000
    max_archive_ratio: int = 100
