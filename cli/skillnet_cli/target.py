"""Which gateway a command speaks to, and with which key.

The first of these that is given: `--org NAME` (a profile) or `--data FOLDER` (a local stack); SKILLNET_URL with
SKILLNET_API_KEY; SKILLNET_ORG (a profile); the default profile; the local stack of the default folder.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from skillnet_cli.account import read_account
from skillnet_cli.local.data_folder import default_data_folder
from skillnet_cli.local.state import StackState, running_stack
from skillnet_cli.profiles import Profile, Profiles, known_profiles
from skillnet_client import SkillnetApiError, SkillnetClient
from skillnet_common.contracts.documents import DocumentSummary
from skillnet_common.errors import ErrorCode, SkillnetError

DataFolder = Annotated[
    Path | None,
    # SKILLNET_HOME is read where no folder is given: what was typed must be told apart from it.
    typer.Option("--data", help="The data folder of the local stack; else $SKILLNET_HOME.", show_default=False),
]

_chosen_org: ContextVar[str | None] = ContextVar("chosen_org", default=None)


@dataclass(frozen=True, slots=True)
class Target:
    """An address and a key."""

    url: str
    api_key: str = field(repr=False)

    def client(self) -> SkillnetClient:
        """A client to be used in a `with` block."""
        return SkillnetClient(self.url, self.api_key)


def choose_organization(name: str | None) -> None:
    """Remembers what `--org` says for the rest of the command."""
    if name is not None:
        _chosen_org.set(name)


def chosen_organization() -> str | None:
    """What `--org` has said so far."""
    return _chosen_org.get()


def data_folder_or_default(folder: Path | None) -> Path:
    """The folder given, else the default one."""
    return (folder or default_data_folder(os.environ)).expanduser().absolute()


def find_target(folder: Path | None) -> Target:
    """The target of this command, given its `--data`. Raises SkillnetError with what to do where there is none."""
    chosen = choose(chosen_organization(), folder, os.environ, known_profiles)
    match chosen:
        case Target():
            return chosen
        case Profile():
            return target_of(chosen, os.environ)
        case None:
            return local_target(data_folder_or_default(folder), os.environ.get("SKILLNET_API_KEY"))


def choose(
    org: str | None, folder: Path | None, environment: Mapping[str, str], load: Callable[[], Profiles]
) -> Target | Profile | None:
    """The order of precedence; None: the local stack. `load` is called only where profiles matter.

    Raises SkillnetError `invalid_request` for two that contradict each other, `not_found` for an unknown profile,
    `misconfigured` for half a target.
    """
    if org is not None and folder is not None:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Give --org or --data, not both.")
    if org is not None:
        return load().named(org)
    if folder is not None:
        return None
    url, key = environment.get("SKILLNET_URL"), environment.get("SKILLNET_API_KEY")
    if url and key:
        return Target(url, key)
    if url:
        raise SkillnetError(ErrorCode.MISCONFIGURED, "SKILLNET_URL is set; set SKILLNET_API_KEY too.")
    profiles = load()
    if name := environment.get("SKILLNET_ORG") or profiles.default:
        return profiles.named(name)
    return None


def target_of(profile: Profile, environment: Mapping[str, str]) -> Target:
    """The profile's gateway; one of a local stack must run."""
    if profile.data is None:
        return Target(str(profile.url), profile.key(environment))
    return local_target(data_folder_or_default(Path(profile.data)), profile.key(environment))


def local_target(data: Path, key: str | None) -> Target:
    """The running stack of the data folder; with its own key where none is given."""
    state = require_stack(data)
    if key:
        return Target(state.address, key)
    account = read_account(data)
    if account is None:
        raise SkillnetError(ErrorCode.UNAVAILABLE, f"The stack in {data} is still starting; try again in a moment.")
    return Target(state.address, account.api_key)


def require_stack(data: Path) -> StackState:
    """The stack that runs in the data folder. Raises SkillnetError `unavailable` where none does."""
    state = running_stack(data)
    if state is None:
        raise SkillnetError(
            ErrorCode.UNAVAILABLE,
            f"No SkillNet runs in {data}. Start one with: skillnet up --data {shlex.quote(str(data))}"
            " (or set SKILLNET_URL and SKILLNET_API_KEY to use another).",
        )
    return state


def find_document(client: SkillnetClient, name: str) -> DocumentSummary:
    """The document with this id, external key or path. Raises SkillnetApiError `not_found`."""
    try:
        return client.document(UUID(name))
    except ValueError:
        for key in (name, Path(name).resolve().as_posix()):  # a file's key is its absolute path by default
            for document in client.documents(external_key=key):
                return document
    raise SkillnetApiError(ErrorCode.NOT_FOUND, 404, f"No document has the id or key {name!r}.")
