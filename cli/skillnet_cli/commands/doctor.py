"""`skillnet doctor`: is everything here that SkillNet needs, and if not, what to do."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.inspecting.readers import languages_of_scans
from skillnet_cli.local.accounts import running_as_root, unprivileged_account
from skillnet_cli.local.instance import answers_ready
from skillnet_cli.local.programs import nats_server_program, postgres_programs
from skillnet_cli.local.service_process import ProcessStatus
from skillnet_cli.local.spawn import Account
from skillnet_cli.local.state import running_stack
from skillnet_cli.output import AsJson, print_json, print_table
from skillnet_cli.target import DataFolder, data_folder_or_default
from skillnet_common.errors import SkillnetError
from skillnet_inference.factory import model_identity, open_tokenizer
from skillnet_inference.settings import EmbeddingSettings

_LEAST_FREE_GB = 1.0
_SERVERS = frozenset({"postgres", "nats"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was looked at, whether it is well, and what was found or is to be done."""

    check: str
    ok: bool
    detail: str


@reports_errors
def doctor(data: DataFolder = None, as_json: AsJson = False) -> None:
    """Check this machine and the running stack."""
    findings = list(_examine(data_folder_or_default(data)))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table(["", "Check", "Finding"], [("ok" if f.ok else "BAD", f.check, f.detail) for f in findings])
    if not all(finding.ok for finding in findings):
        raise typer.Exit(Exit.FAILED)


def _examine(folder: Path) -> Iterator[Finding]:
    yield Finding("Python", True, sys.version.split()[0])
    yield _try("PostgreSQL programs", lambda: str(postgres_programs(_account())))
    yield _try("nats-server program", lambda: str(nats_server_program()))
    yield _try("data folder", lambda: _writable(folder))
    yield _try("disk space", lambda: _disk_space(folder))
    yield _try("embedding model", _model)
    yield _try("scanned pages", _scans)
    state = running_stack(folder)
    if state is None:
        yield Finding("stack", True, f"none runs in {folder}; start one with: skillnet up --data {folder}")
        return
    yield Finding("stack", True, f"{state.phase} at {state.address}")
    for process in state.processes:
        yield _check_process(process, folder)


def _check_process(process: ProcessStatus, folder: Path) -> Finding:
    """Services answer for themselves; the servers, which keep their logs apart, were looked at by the stack."""
    is_server = process.name in _SERVERS
    ready = process.ready and (is_server or asyncio.run(answers_ready(process.port)))
    log = folder / (process.name if is_server else "logs") / f"{process.name}.log"
    return Finding(process.name, ready, f"pid {process.pid}" if ready else f"not ready; read {log}")


def _try(check: str, examine: Callable[[], str]) -> Finding:
    try:
        return Finding(check, True, examine())
    except (SkillnetError, OSError, ValueError) as error:
        return Finding(check, False, str(error))


def _account() -> Account | None:
    return unprivileged_account() if running_as_root() else None


def _writable(folder: Path) -> str:
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK):
        raise ValueError(f"{nearest} cannot be written; choose another folder with --data or SKILLNET_HOME")
    return str(folder)


def _disk_space(folder: Path) -> str:
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(nearest).free / 1e9
    if free < _LEAST_FREE_GB:
        raise ValueError(f"only {free:.1f} GB are free on the disk of {nearest}")
    return f"{free:.0f} GB free"


def _model() -> str:
    settings = EmbeddingSettings()
    identity = model_identity(settings)
    open_tokenizer(settings)
    return f"{identity.slug}, {identity.dimension} dimensions, provider {identity.provider}"


def _scans() -> str:
    """Reading them is a choice: without data a scan fails with a reason of its own."""
    wanted, found = languages_of_scans()
    if found is None:
        return f"not read: no Tesseract data for {wanted}; install tesseract-ocr-spa or set TESSDATA_PREFIX"
    return f"read in {found}" if found == wanted else f"read in {found}; there is no data for all of {wanted}"
