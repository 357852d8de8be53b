"""`skillnet profiles list | add | remove | default`."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.completion import profile_names
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.profiles import Profile, Profiles, load_profiles, profiles_path, save_profiles
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="Organisations that commands speak to by name: --org NAME.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The profile.", autocompletion=profile_names)]


@app.command("list")
@reports_errors
def list_(as_json: AsJson = False) -> None:
    """List the profiles, without their keys."""
    path = profiles_path(os.environ)
    found = load_profiles(path)
    if as_json:
        print_json([_shown(profile, found) for profile in found.profiles.values()])
        return
    if not found.profiles:
        console.print(f"No profiles in {escape(str(path))}.", soft_wrap=True)
        return
    print_table(
        ["", "Name", "Address", "Key"],
        [
            ("*" if name == found.default else "", name, profile.url or profile.data or "none", _key_source(profile))
            for name, profile in sorted(found.profiles.items())
        ],
    )


@app.command()
@reports_errors
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    url: Annotated[str | None, typer.Option(help="Address of its gateway.")] = None,
    data: Annotated[Path | None, typer.Option(help="Instead: the data folder of a local stack.")] = None,
    key_env: Annotated[str | None, typer.Option(metavar="VARIABLE", help="Take the key from it each time.")] = None,
    key_file: Annotated[Path | None, typer.Option(help="Take the key from this file each time (mode 0600).")] = None,
    default: Annotated[bool, typer.Option("--default", help="Use it where nothing else is said.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add a profile, or change the one of this name. Without --key-env or --key-file the key is asked for, or read
    as a line from standard input, and kept in the file, which only its owner may read."""
    profile = Profile(
        name,
        url=url,
        data=None if data is None else str(data.expanduser().absolute()),
        api_key=_ask_key() if key_env is None and key_file is None else None,
        api_key_env=key_env,
        api_key_file=None if key_file is None else str(key_file.expanduser().absolute()),
    )
    _report(store_profile(profile, as_default=default), name, "Added", as_json=as_json)


@app.command()
@reports_errors
def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove a profile. The key itself stays good: see `skillnet keys revoke`."""
    path = profiles_path(os.environ)
    profiles = load_profiles(path).without(name)
    save_profiles(path, profiles)
    _report(profiles, name, "Removed", as_json=as_json)


@app.command()
@reports_errors
def default(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The profile.", autocompletion=profile_names)
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Have no default.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which profile is used where nothing else is said, or set it."""
    path = profiles_path(os.environ)
    profiles = load_profiles(path)
    if name is not None and none:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Give a NAME or --none, not both.")
    if name is not None or none:
        profiles = profiles.with_default(name)
        save_profiles(path, profiles)
    if as_json:
        print_json({"default": profiles.default})
    else:
        console.print(escape(profiles.default or "There is no default profile."))


def store_profile(profile: Profile, *, as_default: bool = False) -> Profiles:
    """Adds the profile to the file, and returns what that holds now."""
    path = profiles_path(os.environ)
    profiles = load_profiles(path).with_profile(profile, as_default=as_default)
    save_profiles(path, profiles)
    return profiles


def _ask_key() -> str:
    if sys.stdin.isatty():
        key: str = typer.prompt("API key", hide_input=True)
    else:
        key = sys.stdin.readline()
    if not key.strip():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "No key was given on standard input.")
    return key.strip()


def _report(profiles: Profiles, name: str, what: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"profile": name, "default": profiles.default})
    else:
        console.print(f"{what} {escape(name)}.")


def _shown(profile: Profile, profiles: Profiles) -> dict[str, object]:
    shown = {key: value for key, value in asdict(profile).items() if key != "api_key"}
    return {**shown, "api_key": profile.api_key is not None, "default": profile.name == profiles.default}


def _key_source(profile: Profile) -> str:
    if profile.api_key is not None:
        return "kept here"
    return f"${profile.api_key_env}" if profile.api_key_env else profile.api_key_file or "none"
