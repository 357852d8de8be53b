"""Which user runs PostgreSQL (it refuses root), and which folders that user can enter."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

from skillnet_cli.local.spawn import Account
from skillnet_common.errors import ErrorCode, SkillnetError

UNPRIVILEGED_USER = "nobody"
SYSTEM_FOLDER = Path("/var/lib/skillnet")


def running_as_root() -> bool:
    """Whether this process has the rights of root."""
    return os.geteuid() == 0


def unprivileged_account() -> Account:
    """The account of `nobody`."""
    try:
        entry = pwd.getpwnam(UNPRIVILEGED_USER)
    except KeyError:
        raise SkillnetError(
            ErrorCode.MISCONFIGURED,
            f"PostgreSQL does not run as root and there is no user {UNPRIVILEGED_USER!r} to run it as. "
            "Start as an ordinary user, or set DATABASE_URL to a server of your own.",
        ) from None
    return Account(entry.pw_uid, entry.pw_gid)


def can_enter(path: Path, account: Account) -> bool:
    """Whether the account may pass through every existing folder on the way to `path` and `path` itself."""
    resolved = path.resolve()
    return all(_may_search(folder, account) for folder in (resolved, *resolved.parents) if folder.is_dir())


def _may_search(folder: Path, account: Account) -> bool:
    status = folder.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def make_enterable(folder: Path) -> None:
    """Create the folder and its missing parents; those of root let other users pass through, but not list."""
    if folder.exists():
        return
    make_enterable(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711 if running_as_root() else 0o700)


def temporary_parent(account: Account | None) -> Path:
    """A folder for temporary files that the account can enter: the usual one, else /tmp or /var/tmp."""
    for candidate in (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")):  # noqa: S108
        if candidate.is_dir() and (account is None or can_enter(candidate, account)):
            return candidate
    raise SkillnetError(ErrorCode.MISCONFIGURED, "Other users can enter no folder for temporary files.")


def give(folder: Path, account: Account) -> None:
    """Make the folder the account's own and private."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)


def remove_tree(folder: Path) -> None:
    """Delete the folder and all it holds; nothing happens when it does not exist."""
    if folder.exists():
        shutil.rmtree(folder)
