"""Ids as they are typed."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import typer


def id_of(kind: str, *, hint: str) -> Callable[[str], UUID]:
    """A parser of ids of this kind; `hint` says where they are shown."""

    def parse(typed: str) -> UUID:
        try:
            return UUID(typed)
        except ValueError as error:
            raise typer.BadParameter(f"{typed!r} is no id of {kind}: {hint}") from error

    return parse
