"""The local stack with everything a person needs to use it: model registered, organisation and key made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from skillnet_cli.account import Account, ensure_account
from skillnet_cli.local.stack import LocalStack
from skillnet_common.database import register_first_model
from skillnet_inference.factory import model_identity
from skillnet_inference.settings import EmbeddingSettings


def open_stack(
    folder: Path, scale: Mapping[str, int] | None = None, *, gateway_port: int | None = None, fast: bool = False
) -> LocalStack:
    """A stack in the folder that registers the configured embedding model; not started yet."""
    return LocalStack(folder, scale, gateway_port=gateway_port, register_model=register_configured_model, fast=fast)


async def register_configured_model(migrator_url: str) -> None:
    """Registers the model of the EMBEDDING_* settings where none is registered yet."""
    identity = model_identity(EmbeddingSettings())
    await register_first_model(
        migrator_url,
        slug=identity.slug,
        fingerprint=identity.fingerprint,
        name=identity.name,
        dimension=identity.dimension,
        identity=asdict(identity),
    )


async def start_account(stack: LocalStack) -> Account:
    """The organisation and key of a running stack."""
    return await ensure_account(stack.data_folder, stack.state.environment["DATABASE_URL"])
