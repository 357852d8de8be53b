"""Settings every service reads from the environment (`DATABASE_URL`, `NATS_URL`, ...)."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class CommonSettings(BaseSettings):
    """What every service needs to reach the others. Names of variables are the fields' in capitals."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    database_url: SecretStr = SecretStr("postgresql://skillnet_service@localhost:5432/skillnet")
    database_pool_size: int = Field(default=6, ge=1, le=100)
    nats_url: str = "nats://localhost:4222"
    nats_user: str | None = None
    nats_password: SecretStr | None = None
    ops_host: str = "127.0.0.1"
    ops_port: int = Field(default=0, ge=0, le=65535)
    """Port of /livez, /readyz and /metrics; 0 lets the system choose one."""
    log_level: str = "INFO"
    log_format: str = Field(default="json", pattern="^(json|console)$")
    drain_seconds: float = Field(default=20.0, ge=0)
    """How long running work may take to end after SIGTERM before it is given back."""


class ObjectStoreSettings(BaseSettings):
    """Where originals live: a folder (`file:///var/lib/skillnet/objects`) or `s3://bucket/prefix`."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    object_store_url: str = "file:///var/lib/skillnet/objects"


class ChunkSettings(BaseSettings):
    """Sizes of chunks, in tokens of the embedding model. The gateway reads them too: they are part of a version."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    chunk_max_tokens: int = Field(default=512, ge=128)
    """No chunk is larger, nor larger than the model's window. An organisation may say otherwise."""
    chunk_target_tokens: int = Field(default=350, ge=64)
    chunk_min_tokens: int = Field(default=50, ge=0)
    chunk_overlap_sentences: int = Field(default=2, ge=0)


class LateInteractionSettings(BaseSettings):
    """Of the embedder, which stores the vectors of tokens, and the retriever, which compares them."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    late_interaction: bool = True
    """`on` or `off`. Documents embedded while it was off are ranked without it. A model that gives no vectors of
    tokens, such as one behind an API, has none either way."""


class WorkSettings(CommonSettings):
    """Settings of a service that does work of the `work` table."""

    work_slots: int = Field(default=2, ge=1, le=256)
    """How many pieces of work one instance does at a time."""
    work_lease_seconds: float = Field(default=60.0, gt=0)
    """A claim not renewed for this long is taken back. Renewed every third of it."""
    work_max_attempts: int = Field(default=10, ge=1)
    work_retry_seconds: float = Field(default=2.0, ge=0)
    """First delay after a passing fault; doubled each time, with jitter, up to 5 minutes."""
    work_misconfigured_seconds: float = Field(default=30.0, ge=0)
    """Delay after a fault of the deployment, such as an expired API key; such attempts are not counted."""
