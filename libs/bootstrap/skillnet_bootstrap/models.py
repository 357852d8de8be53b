"""The embedding model of a new installation."""

from __future__ import annotations

from dataclasses import asdict

from skillnet_common.database import register_first_model
from skillnet_inference.factory import model_identity
from skillnet_inference.settings import EmbeddingSettings


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
