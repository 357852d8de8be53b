"""Settings of the dispatcher."""

from __future__ import annotations

from pydantic import Field, SecretStr

from skillnet_common.settings import CommonSettings, ObjectStoreSettings


class DispatcherSettings(CommonSettings, ObjectStoreSettings):
    """`DATABASE_URL` must name the role skillnet_dispatcher and, for the leader's lock, the server itself or a
    proxy that keeps sessions."""

    database_url: SecretStr = SecretStr("postgresql://skillnet_dispatcher@localhost:5432/skillnet")
    poll_seconds: float = Field(default=0.2, gt=0)
    """How often work and events are looked for when no hint comes."""
    window_factor: float = Field(default=4.0, gt=0)
    """Pieces of work on the bus for each one that the live workers do at a time."""
    window_floor: int = Field(default=16, ge=1)
    """Pieces of work on the bus, a stage each, while no worker is up."""
    work_max_attempts: int = Field(default=10, ge=1)
    """As the workers': a claim that ran out this many times is given up."""
    reconcile_seconds: float = Field(default=2.0, gt=0)
    """Work released for longer than this is looked up in the stream, as often."""
    reap_seconds: float = Field(default=1.0, gt=0)
    topology_seconds: float = Field(default=2.0, gt=0)
    observe_seconds: float = Field(default=5.0, gt=0)
    cleanup_seconds: float = Field(default=15.0, gt=0)
    keep_versions: int = Field(default=3, ge=0)
    """Ended versions of a document that are kept for history and roll-back."""
    version_grace_hours: float = Field(default=24.0, ge=0)
    """How long a version beyond those, or a deleted document's, is kept after its end."""
    outbox_days: float = Field(default=8.0, ge=0)
    """How long sent events are kept: at least as long as the stream keeps them, which is refilled from them."""
    idempotency_days: float = Field(default=7.0, gt=0)
    orphan_hours: float = Field(default=24.0, ge=1)
    """Originals older than this that no version names are deleted; no upload takes as long."""
    orphan_seconds: float = Field(default=3_600.0, gt=0)
