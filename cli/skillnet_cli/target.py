"""Which gateway a command speaks to: the one it is told, else the stack that runs in the data folder."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from skillnet_cli.account import read_account
from skillnet_cli.local.data_folder import default_data_folder
from skillnet_cli.local.state import StackState, running_stack
from skillnet_client import SkillnetApiError, SkillnetClient
from skillnet_common.contracts.documents import DocumentSummary
from skillnet_common.errors import ErrorCode, SkillnetError

DataFolder = Annotated[
    Path | None,
    typer.Option("--data", envvar="SKILLNET_HOME", help="The data folder of the local stack.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class Target:
    """An address and a key."""

    url: str
    api_key: str

    def client(self) -> SkillnetClient:
        """A client to be used in a `with` block."""
        return SkillnetClient(self.url, self.api_key)


def data_folder_or_default(folder: Path | None) -> Path:
    """The folder given, else the default one."""
    return (folder or default_data_folder(os.environ)).expanduser().absolute()


def find_target(folder: Path | None) -> Target:
    """SKILLNET_URL with SKILLNET_API_KEY, else the running stack of the data folder.

    Raises SkillnetError `unavailable` with what to do where nothing runs.
    """
    url, key = os.environ.get("SKILLNET_URL"), os.environ.get("SKILLNET_API_KEY")
    if url and key:
        return Target(url, key)
    if url:
        raise SkillnetError(ErrorCode.MISCONFIGURED, "SKILLNET_URL is set; set SKILLNET_API_KEY too.")
    data = data_folder_or_default(folder)
    state, account = require_stack(data), read_account(data)
    if account is None:
        raise SkillnetError(ErrorCode.UNAVAILABLE, f"The stack in {data} is still starting; try again in a moment.")
    return Target(state.address, key or account.api_key)


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
