"""Settings of the bootstrap; `EMBEDDING_*` are those of `EmbeddingSettings`."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class BootstrapSettings(BaseSettings):
    """The superuser's address of the database, a password for each role, and the bus as its administrator."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    database_admin_url: SecretStr
    """The superuser's address of the database itself, which must exist."""
    database_migrator_password: SecretStr = Field(min_length=1)
    database_service_password: SecretStr = Field(min_length=1)
    database_dispatcher_password: SecretStr = Field(min_length=1)
    database_backup_password: SecretStr = Field(min_length=1)
    database_monitor_password: SecretStr = Field(min_length=1)
    nats_url: str = "nats://localhost:4222"
    nats_user: str | None = None
    nats_password: SecretStr | None = None
    patience_seconds: float = Field(default=60.0, ge=0)
    """How long servers that are still starting are waited for."""
    first_organization_name: str = Field(default="Mi organización", min_length=1, max_length=200)
    first_api_key: SecretStr | None = Field(default=None, min_length=32)
    """Where there is no API key yet, an organisation is made and this becomes its key, with every scope."""
    log_level: str = "INFO"
    log_format: str = Field(default="json", pattern="^(json|console)$")

    @property
    def role_passwords(self) -> dict[str, str]:
        """The password of each role that logs in."""
        return {
            "skillnet_migrator": self.database_migrator_password.get_secret_value(),
            "skillnet_service": self.database_service_password.get_secret_value(),
            "skillnet_dispatcher": self.database_dispatcher_password.get_secret_value(),
            "skillnet_backup": self.database_backup_password.get_secret_value(),
            "skillnet_monitor": self.database_monitor_password.get_secret_value(),
        }

    @property
    def bus(self) -> dict[str, str]:
        """NATS_URL, and NATS_USER and NATS_PASSWORD where they are set."""
        password = self.nats_password.get_secret_value() if self.nats_password else None
        given = {"NATS_URL": self.nats_url, "NATS_USER": self.nats_user, "NATS_PASSWORD": password}
        return {name: value for name, value in given.items() if value is not None}
