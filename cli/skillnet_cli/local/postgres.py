"""PostgreSQL 18 with pgvector from its wheel, in a folder, for this process alone."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import psutil

from skillnet_cli.local.accounts import (
    SYSTEM_FOLDER,
    UNPRIVILEGED_USER,
    can_enter,
    give,
    make_enterable,
    remove_tree,
    running_as_root,
    temporary_parent,
    unprivileged_account,
)
from skillnet_cli.local.ports import HOST
from skillnet_cli.local.private_file import generated_password, write_private
from skillnet_cli.local.programs import postgres_programs
from skillnet_cli.local.server import EmbeddedServer
from skillnet_cli.local.spawn import Account, spawn
from skillnet_common.errors import ErrorCode, SkillnetError

SUPERUSER = "postgres"
MAJOR_VERSION = "18"

# For a machine of few cores and little memory that also runs the embedding model.
_SETTINGS: Mapping[str, str] = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "1GB",
    "max_wal_size": "512MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    # a parallel index build needs maintenance_work_mem of shared memory; a container's /dev/shm holds 64 MB
    "max_parallel_maintenance_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
}
_FAST_SETTINGS: Mapping[str, str] = {
    "fsync": "off",
    "full_page_writes": "off",
    "dynamic_shared_memory_type": "mmap",  # in the data folder, with which it goes, even after a kill -9
}

_SHARED_MEMORY_IN_USE = "pre-existing shared memory block"
_SHARED_MEMORY_SECONDS = 15.0
_POSTMASTER_PID_LINE = 0
_POSTMASTER_STATUS_LINE = 7


class EmbeddedPostgres(EmbeddedServer):
    """A PostgreSQL server on 127.0.0.1 with a generated superuser password.

    `folder` keeps the cluster, its password (mode 0600), the log and the remembered port. As root the server
    runs as `nobody`; when that user cannot enter `folder`, the cluster goes to a readable place, which
    `notices` tells and `<folder>/location` remembers. `fast`, for tests, gives up surviving a power cut, but
    not a crash of the process.
    `settings` adds to or replaces the server's configuration parameters.
    """

    title: ClassVar[str] = "PostgreSQL"
    port_names: ClassVar[tuple[str, ...]] = ("postgres",)
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT  # its "fast" shutdown

    def __init__(self, folder: Path, *, fast: bool = False, settings: Mapping[str, str] | None = None) -> None:
        super().__init__(folder)
        self.cluster = folder / "cluster"
        """The folder of the cluster and its password; final once started."""
        self._fast = fast
        self._settings = {**_SETTINGS, **(_FAST_SETTINGS if fast else {}), **(settings or {})}
        self._run_as: Account | None = None
        self._programs = Path()

    @property
    def log_path(self) -> Path:
        """The server's log."""
        return self.folder / "postgres.log"

    @property
    def port(self) -> int:
        """The TCP port on 127.0.0.1; known once started."""
        return self.ports["postgres"]

    @property
    def password(self) -> str:
        """The superuser's password; readable once the cluster was created."""
        return self._password_path.read_text(encoding="utf-8")

    @property
    def admin_url(self) -> str:
        """The superuser's address of the database `postgres`."""
        return self.url()

    def url(self, database: str = "postgres", user: str = SUPERUSER, password: str | None = None) -> str:
        """The address of a database for a user (the superuser, with its own password, by default)."""
        secret = quote(self.password if password is None else password, safe="")
        return f"postgresql://{quote(user, safe='')}:{secret}@{HOST}:{self.port}/{quote(database, safe='')}"

    def delete(self) -> None:
        """Stop, and remove the cluster wherever it lies, and the folder."""
        self.stop()
        remove_tree(self.cluster)
        remove_tree(self.folder)

    # -- preparation

    def _prepare(self) -> None:
        self._run_as = unprivileged_account() if running_as_root() else None
        self._programs = postgres_programs(self._run_as)
        self.cluster = self._place_of_cluster()
        self._run_as = self._owner_of_data() or self._run_as
        if not self._data.exists():
            self._create_cluster()
        self._check_version()
        self._forget_recycled_pid()

    @property
    def _data(self) -> Path:
        return self.cluster / "data"

    @property
    def _password_path(self) -> Path:
        return self.cluster / "superuser_password"

    def _place_of_cluster(self) -> Path:
        """Inside the folder, or where an earlier start or the rights of the server's user put it."""
        location = self.folder / "location"
        if location.exists():
            place = Path(location.read_text(encoding="utf-8"))
        elif self._run_as is None or can_enter(self.folder, self._run_as):
            return self.folder / "cluster"
        else:
            place = self._readable_parent(self._run_as) / f"{self.folder.name}-{secrets.token_hex(6)}"
            write_private(location, str(place))
        self.notices.append(
            f"PostgreSQL keeps its data in {place}, "
            f"because user {UNPRIVILEGED_USER}, which runs it, cannot enter {self.folder}."
        )
        return place

    def _readable_parent(self, account: Account) -> Path:
        parent = temporary_parent(account) / "skillnet-clusters" if self._fast else SYSTEM_FOLDER / "clusters"
        make_enterable(parent)
        if not can_enter(parent, account):
            raise SkillnetError(
                ErrorCode.MISCONFIGURED,
                f"{UNPRIVILEGED_USER}, who runs PostgreSQL, can enter neither {self.folder} nor {parent}. "
                "Choose a data folder that every user may pass through.",
            )
        return parent

    def _owner_of_data(self) -> Account | None:
        """As root: the user who created the existing data, an ordinary one perhaps."""
        if not (running_as_root() and self._data.exists()):
            return None
        status = self._data.stat()
        return Account(status.st_uid, status.st_gid)

    def _create_cluster(self) -> None:
        """initdb into a draft which gets its name when complete: an interrupted one is never used."""
        draft = self.cluster / "data.incomplete"
        make_enterable(self.cluster.parent)
        if self._run_as is None:
            self.cluster.mkdir(mode=0o700, exist_ok=True)
        else:
            give(self.cluster, self._run_as)
        remove_tree(draft)
        write_private(self._password_path, generated_password())
        self._initdb(draft)
        draft.rename(self._data)

    def _initdb(self, data: Path) -> None:
        password_copy = self.cluster / "password_for_initdb"
        write_private(password_copy, self.password)
        if self._run_as is not None:
            os.chown(password_copy, self._run_as.uid, self._run_as.gid)
        command = [
            str(self._programs / "initdb"),
            f"--pgdata={data}",
            f"--username={SUPERUSER}",
            f"--pwfile={password_copy}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            # sets LC_CTYPE too, by which the text search parser knows « and ¿ from letters
            "--locale=C.UTF-8",
            "--no-instructions",
            *(["--no-sync"] if self._fast else []),
        ]
        try:
            self._run_to_end(command)
        finally:
            password_copy.unlink()

    def _run_to_end(self, command: Sequence[str]) -> None:
        with tempfile.TemporaryDirectory(prefix="skillnet-initdb-") as scratch:
            log = Path(scratch) / "output.log"
            process = spawn(
                command, env=self._environment, log=log, death_signal=signal.SIGKILL, account=self._account
            )
            try:
                process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.returncode != 0:
                output = log.read_text(encoding="utf-8", errors="replace")[-2000:]
                raise SkillnetError(
                    ErrorCode.START_FAILED,
                    f"PostgreSQL's data folder could not be created ({Path(command[0]).name}, exit code "
                    f"{process.returncode}):\n{output}",
                )

    def _check_version(self) -> None:
        found = (self._data / "PG_VERSION").read_text(encoding="ascii").strip()
        if found != MAJOR_VERSION:
            raise SkillnetError(
                ErrorCode.MISCONFIGURED,
                f"{self._data} was made by PostgreSQL {found}; this is version {MAJOR_VERSION}. "
                "Dump it with the old version and restore it into a new data folder.",
            )

    # -- the running server

    @property
    def _account(self) -> Account | None:
        return self._run_as

    def _command(self) -> Sequence[str]:
        options = {**self._settings, "port": str(self.port)}
        return [
            str(self._programs / "postgres"),
            "-D",
            str(self._data),
            *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
        ]

    def _is_ready(self) -> bool:
        lines = self._pid_file_lines()
        return (
            len(lines) > _POSTMASTER_STATUS_LINE
            and lines[_POSTMASTER_PID_LINE].strip() == str(self.pid)
            and lines[_POSTMASTER_STATUS_LINE].strip() == "ready"
        )

    def _launch(self, timeout: float) -> None:
        """After a kill -9 the backends end a moment later; till then their shared memory blocks a start."""
        deadline = time.monotonic() + _SHARED_MEMORY_SECONDS
        while True:
            try:
                return super()._launch(timeout)
            except SkillnetError:
                if _SHARED_MEMORY_IN_USE not in self._log_tail() or time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    # -- a server left behind

    def _pid_file_lines(self) -> list[str]:
        """postmaster.pid: process id, data folder, start, port, socket folder, address, memory, status."""
        try:
            return (self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def _lingering_process(self) -> int | None:
        lines = self._pid_file_lines()
        if not lines:
            return None
        pid = int(lines[_POSTMASTER_PID_LINE])
        return pid if self._is_postmaster_here(pid) else None

    def _is_postmaster_here(self, pid: int) -> bool:
        try:
            process = psutil.Process(pid)
            return process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()) == self._data.resolve()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return False  # a process of another user: never a server of ours

    def _forget_recycled_pid(self) -> None:
        """Remove a postmaster.pid whose process id now belongs to another program: it would block the start.

        Safe because the folder's lock is held: no other start can be under way.
        """
        lines = self._pid_file_lines()
        if lines and not self._is_postmaster_here(int(lines[_POSTMASTER_PID_LINE])):
            (self._data / "postmaster.pid").unlink()
