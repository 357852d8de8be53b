"""Where the embedded default keeps everything when nobody says where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skillnet_cli.local.accounts import SYSTEM_FOLDER, can_enter, running_as_root, unprivileged_account


def default_data_folder(environment: Mapping[str, str]) -> Path:
    """`$SKILLNET_HOME`, else `$XDG_DATA_HOME/skillnet`, else `~/.local/share/skillnet`.

    As root it is /var/lib/skillnet when the user who runs PostgreSQL cannot enter root's home.
    """
    if chosen := environment.get("SKILLNET_HOME"):
        return Path(chosen).expanduser().absolute()
    if data_home := environment.get("XDG_DATA_HOME"):
        return Path(data_home).absolute() / "skillnet"
    home = Path(environment.get("HOME") or Path.home())
    if running_as_root() and not can_enter(home, unprivileged_account()):
        return SYSTEM_FOLDER
    return home / ".local" / "share" / "skillnet"
