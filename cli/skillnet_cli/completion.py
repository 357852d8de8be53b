"""What a shell offers at the Tab key. Silent and quick: anything else here would break somebody's line."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread

import typer

from skillnet_cli.profiles import known_profiles
from skillnet_cli.target import Target, find_target
from skillnet_client import SkillnetApiError
from skillnet_common.errors import SkillnetError

_SECONDS = 1.0
_KEYS = 100


def profile_names(incomplete: str) -> list[str]:
    """Names of profiles that begin so."""
    try:
        return sorted(name for name in known_profiles().profiles if name.startswith(incomplete))
    except SkillnetError:
        return []


def document_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of the newest documents that begin so; nothing where the gateway does not answer within a second."""
    answer: SimpleQueue[list[str]] = SimpleQueue()
    try:
        target = find_target(ctx.params.get("data"))
        # A thread that is left behind: neither the resolver of names nor a slow gateway can be told to hurry.
        Thread(target=lambda: answer.put(_newest_keys(target)), daemon=True).start()
        return sorted(key for key in answer.get(timeout=_SECONDS) if key.startswith(incomplete))
    except (SkillnetError, Empty):
        return []


def _newest_keys(target: Target) -> list[str]:
    try:
        with target.client() as client:
            return [document.external_key for document in client.documents_page(limit=_KEYS).documents]
    except SkillnetApiError:
        return []
