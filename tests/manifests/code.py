"""What the code itself says of its services: their settings, ports and paths."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import obstore
import pytest
from obstore.exceptions import UnknownConfigurationKeyError
from obstore.store import S3Store
from pydantic_settings import BaseSettings

from skillnet_cli.local.services import SERVICES
from skillnet_common.runtime.ops import OpsApp
from skillnet_common.settings import CommonSettings, ObjectStoreSettings
from skillnet_inference.model_store import CACHE_VARIABLE

BOOTSTRAP = "bootstrap"
IMAGES = (*SERVICES, BOOTSTRAP)
_SETTINGS_IN = {BOOTSTRAP: ("skillnet_bootstrap.app", "skillnet_bootstrap.models")}
_OF_PYTHON = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
_OBJECT_STORE = "AWS_"


def settings_classes(service: str) -> set[type[BaseSettings]]:
    """Every class of settings that the service's composition root uses."""
    modules = _SETTINGS_IN.get(service, (f"skillnet_{service}.app",))
    found = {
        value
        for module in modules
        for value in vars(importlib.import_module(module)).values()
        if isinstance(value, type) and issubclass(value, BaseSettings)
    }
    assert found, f"{service} has no settings"
    return found


def variables(service: str) -> set[str]:
    """The names of all variables that the service reads through its settings."""
    return {
        f"{settings.model_config.get('env_prefix', '')}{name}".upper()
        for settings in settings_classes(service)
        for name in settings.model_fields
    }


def needs_objects(service: str) -> bool:
    return any(issubclass(settings, ObjectStoreSettings) for settings in settings_classes(service))


def needed(service: str) -> set[str]:
    """What a deployment must say, since the defaults are those of one machine."""
    if service == BOOTSTRAP:
        required = {
            name.upper()
            for settings in settings_classes(service)
            for name, field in settings.model_fields.items()
            if field.is_required()
        }
        return required | {"NATS_URL", "NATS_USER", "NATS_PASSWORD"}
    assert any(issubclass(settings, CommonSettings) for settings in settings_classes(service))
    names = {"DATABASE_URL", "NATS_URL", "NATS_USER", "NATS_PASSWORD", "OPS_HOST", "OPS_PORT"}
    names |= {"OBJECT_STORE_URL"} if needs_objects(service) else set()
    return names | ({"HTTP_HOST", "HTTP_PORT"} if service == "gateway" else set())


def unknown(service: str, names: set[str]) -> set[str]:
    """Of the names, those that nothing in the service reads: a typing error, or a setting of another service."""
    known = variables(service) | _OF_PYTHON | {CACHE_VARIABLE}
    return {
        name
        for name in names - known
        if not (name.startswith(_OBJECT_STORE) and needs_objects(service) and _is_read_by_the_store(name))
    }


def check_values(service: str, environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads the settings as the service would; raises ValidationError where a value does not fit."""
    with monkeypatch.context() as patch:
        for name in variables(service):
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        for settings in settings_classes(service):
            settings()


async def is_answered(path: str) -> bool:
    """Whether the operations port of every service knows the path."""
    statuses: list[int] = []

    async def well() -> None:
        """Ready."""

    async def send(message: Mapping[str, object]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(int(str(message["status"])))

    async def receive() -> dict[str, object]:
        return {"type": "http.request"}

    await OpsApp(well)({"type": "http", "path": path}, receive, send)
    return statuses == [200]


def _is_read_by_the_store(name: str) -> bool:
    try:
        S3Store("bucket", config={name.lower(): "true"})  # type: ignore[arg-type]
    except UnknownConfigurationKeyError:
        return False
    except obstore.exceptions.BaseError:
        return True  # known, but not enough by itself
    return True
