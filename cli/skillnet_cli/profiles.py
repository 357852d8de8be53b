"""Profiles: organisations that commands can speak to by name, kept in one TOML file.

default = "tienda"

[profiles.tienda]
url = "https://skillnet.example"     # or data = "/folder", of a local stack
api_key = "sk_..."                   # or api_key_env = "NAME", or api_key_file = "/path"
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from skillnet_cli.local.private_file import write_private
from skillnet_common.errors import ErrorCode, SkillnetError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEY_SOURCES = ("api_key", "api_key_env", "api_key_file")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Profile:
    """Where an organisation is reached (`url`, or `data`: the folder of a local stack), and one source of its key."""

    name: str
    url: str | None = None
    data: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    api_key_file: str | None = None

    def key(self, environment: Mapping[str, str]) -> str:
        """The API key. Raises SkillnetError `misconfigured` where it cannot be had or others may read it."""
        if self.api_key is not None:
            return self.api_key
        if self.api_key_env is not None:
            if key := environment.get(self.api_key_env, "").strip():
                return key
            raise _misconfigured(f"The profile {self.name} takes its key from ${self.api_key_env}, which is not set.")
        path = Path(str(self.api_key_file)).expanduser()
        try:
            require_private(path)
            key = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise _misconfigured(f"The key of the profile {self.name} cannot be read: {error}") from error
        if not key:
            raise _misconfigured(f"The key file of the profile {self.name}, {path}, is empty.")
        return key


@dataclass(frozen=True, slots=True)
class Profiles:
    """What the file holds."""

    profiles: Mapping[str, Profile] = field(default_factory=dict)
    default: str | None = None

    def named(self, name: str) -> Profile:
        """The profile, to be used. Raises SkillnetError `not_found` with the names there are, and `misconfigured`
        for one that could not be used."""
        self._require(name)
        check_profile(self.profiles[name])
        return self.profiles[name]

    def with_profile(self, profile: Profile, *, as_default: bool = False) -> Profiles:
        """Adds the profile, or puts it in the place of the one of its name."""
        check_profile(profile)
        default = profile.name if as_default else self.default
        return replace(self, profiles={**self.profiles, profile.name: profile}, default=default)

    def without(self, name: str) -> Profiles:
        """Raises SkillnetError `not_found`."""
        self._require(name)
        left = {other: profile for other, profile in self.profiles.items() if other != name}
        return Profiles(left, None if self.default == name else self.default)

    def with_default(self, name: str | None) -> Profiles:
        """None: there is no default. Raises SkillnetError `not_found`."""
        if name is not None:
            self._require(name)
        return replace(self, default=name)

    def _require(self, name: str) -> None:
        if name not in self.profiles:
            known = ", ".join(sorted(self.profiles)) or "none"
            raise SkillnetError(ErrorCode.NOT_FOUND, f"There is no profile {name!r}; there are: {known}.")


def profiles_path(environment: Mapping[str, str]) -> Path:
    """`$SKILLNET_CONFIG`, else `$XDG_CONFIG_HOME/skillnet/config.toml`, else the same below `~/.config`."""
    if chosen := environment.get("SKILLNET_CONFIG"):
        return Path(chosen).expanduser().absolute()
    home = environment.get("XDG_CONFIG_HOME") or Path(environment.get("HOME") or Path.home()) / ".config"
    return Path(home).absolute() / "skillnet" / "config.toml"


def load_profiles(path: Path) -> Profiles:
    """The profiles of the file; none where there is no file. One that is incomplete is in the way of no other.

    Raises SkillnetError `misconfigured` for a file that is none, or that holds a key and can be read by others.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Profiles()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _misconfigured(f"{path} cannot be read: {error}") from error
    tables = content.get("profiles", {})
    if unknown := content.keys() - {"profiles", "default"}:
        raise _misconfigured(f"{path}: unknown: {', '.join(sorted(unknown))}.")
    if not isinstance(tables, dict):
        raise _misconfigured(f"{path}: profiles must be tables, such as [profiles.tienda].")
    profiles = {name: _profile(path, name, table) for name, table in tables.items()}
    if any(profile.api_key is not None for profile in profiles.values()):
        require_private(path)
    default = content.get("default")
    if default is not None and default not in profiles:
        raise _misconfigured(f"{path}: the default {default!r} is no profile of it.")
    return Profiles(profiles, default)


def save_profiles(path: Path, profiles: Profiles) -> None:
    """Replaces the file in one step; only its owner may read it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_private(path, to_toml(profiles))


def to_toml(profiles: Profiles) -> str:
    """The file's text."""
    lines = [] if profiles.default is None else [f"default = {_toml_string(profiles.default)}", ""]
    for name, profile in sorted(profiles.profiles.items()):
        lines.append(f"[profiles.{_toml_string(name)}]")
        given = {one.name: getattr(profile, one.name) for one in fields(profile) if one.name != "name"}
        lines += [f"{key} = {_toml_string(value)}" for key, value in given.items() if value]
        lines.append("")
    return "\n".join(lines)


def _toml_string(text: str) -> str:
    """A JSON string is a basic string of TOML, but for the character DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def check_profile(profile: Profile) -> None:
    """Raises SkillnetError `misconfigured` for one that could not be used."""
    if not _NAME.fullmatch(profile.name):
        raise _misconfigured(f"{profile.name!r}: a profile's name is letters, digits, '.', '_' and '-'.")
    if (profile.url is None) == (profile.data is None):
        raise _misconfigured(f"The profile {profile.name} needs either url or data.")
    if profile.url is not None and not _is_web_address(profile.url):
        raise _misconfigured(f"The profile {profile.name}: {profile.url!r} is no http or https address.")
    if sum(getattr(profile, source) is not None for source in _KEY_SOURCES) != 1:
        raise _misconfigured(f"The profile {profile.name} needs exactly one of {', '.join(_KEY_SOURCES)}.")
    if any(
        not one.isprintable() for one in (profile.url, profile.data, profile.api_key, profile.api_key_file) if one
    ):
        raise _misconfigured(f"The profile {profile.name} holds characters that cannot be printed.")


def require_private(path: Path) -> None:
    """Raises SkillnetError `misconfigured` where others than the owner may read or write the file."""
    if path.stat().st_mode & _OTHERS:
        raise _misconfigured(f"{path} holds an API key, and others may read it. Run: chmod 600 {path}")


def _profile(path: Path, name: str, table: Any) -> Profile:
    known = {one.name for one in fields(Profile)} - {"name"}
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise _misconfigured(f"{path}: the profile {name} must be a table of strings.")
    if unknown := table.keys() - known:
        raise _misconfigured(f"{path}: the profile {name} has unknown fields: {', '.join(sorted(unknown))}.")
    return Profile(name, **table)


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _misconfigured(message: str) -> SkillnetError:
    return SkillnetError(ErrorCode.MISCONFIGURED, message)


def known_profiles() -> Profiles:
    """The profiles of whoever runs this process."""
    return load_profiles(profiles_path(os.environ))
