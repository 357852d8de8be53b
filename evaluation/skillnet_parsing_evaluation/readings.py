"""Reads files as the service does: each in a child process of its own, under the service's limits."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillnet_common.documents import ParsedDocument
from skillnet_common.errors import DOCUMENT_CODES, ErrorCode, SkillnetError
from skillnet_parser.limits import ParseLimits
from skillnet_parser.sandbox import Sandbox

_STEP = 100


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one file: a document, or the code of a fault. `seconds` is wall time."""

    path: Path
    document: ParsedDocument | None
    code: str | None
    seconds: float

    @property
    def outcome(self) -> str:
        """`ready`, `warned`, or `failed: <code>`."""
        if self.document is None:
            return f"failed: {self.code}"
        return "warned" if self.document.warnings else "ready"


def read_files(paths: Sequence[Path], *, jobs: int, what: str) -> list[Reading]:
    """The files in their order, `jobs` at a time. Progress goes to standard error under the name `what`."""
    return asyncio.run(_read_all(paths, jobs, what))


async def _read_all(paths: Sequence[Path], jobs: int, what: str) -> list[Reading]:
    places = asyncio.Semaphore(jobs)
    done = 0

    async with Sandbox(ParseLimits()) as sandbox:

        async def read(path: Path) -> Reading:
            nonlocal done
            async with places:
                reading = await _read(sandbox, path)
            done += 1
            if done % _STEP == 0 or done == len(paths):
                sys.stderr.write(f"{what}: {done} of {len(paths)}\n")
            return reading

        return list(await asyncio.gather(*map(read, paths)))


async def _read(sandbox: Sandbox, path: Path) -> Reading:
    started = time.perf_counter()
    try:
        document = await sandbox.parse_file(path, path.name)
    except SkillnetError as fault:
        return Reading(path, None, str(fault.code), time.perf_counter() - started)
    return Reading(path, document, None, time.perf_counter() - started)


def summarise(readings: Sequence[Reading]) -> dict[str, object]:
    """Outcomes, and the faults that must not be: crashes, hangs, failures or empty texts without a name."""
    codes = Counter(reading.code for reading in readings if reading.code is not None)
    named = {str(code) for code in DOCUMENT_CODES}
    empty = sum(reading.document is not None and not reading.document.text.strip() for reading in readings)
    return {
        "files": len(readings),
        "outcomes": dict(sorted(Counter(reading.outcome for reading in readings).items())),
        "crashes": codes[ErrorCode.PARSER_CRASHED] + codes[ErrorCode.PARSE_MEMORY],
        "hangs": codes[ErrorCode.PARSE_TIMEOUT],
        "unnamed_failures": empty + sum(count for code, count in codes.items() if code not in named),
    }
