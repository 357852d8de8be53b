"""The local stack with everything a person needs to use it: model registered, organisation and key made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skillnet_bootstrap.models import register_configured_model
from skillnet_cli.account import Account, ensure_account
from skillnet_cli.local.stack import LocalStack


def open_stack(
    folder: Path, scale: Mapping[str, int] | None = None, *, gateway_port: int | None = None, fast: bool = False
) -> LocalStack:
    """A stack in the folder that registers the configured embedding model; not started yet."""
    return LocalStack(folder, scale, gateway_port=gateway_port, register_model=register_configured_model, fast=fast)


async def start_account(stack: LocalStack) -> Account:
    """The organisation and key of a running stack."""
    return await ensure_account(stack.data_folder, stack.state.environment["DATABASE_URL"])
