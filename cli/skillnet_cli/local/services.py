"""The seven services as processes of this machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from skillnet_cli.local.service_process import ServiceProcess
from skillnet_common.errors import ErrorCode, SkillnetError

GATEWAY = "gateway"

# The gateway stops first, so that nothing new comes in; the dispatcher last, which releases what workers return.
_STOP_ORDER: Mapping[str, int] = {
    GATEWAY: 0,
    "parser": 1,
    "chunker": 1,
    "embedder": 1,
    "retriever": 1,
    "dispatcher": 2,
    "notifier": 2,
}
SERVICES = tuple(_STOP_ORDER)


@dataclass(frozen=True, slots=True)
class StackAddresses:
    """Where the services find each other."""

    database: Callable[[str], str]
    """The database's address for a service."""
    bus: Callable[[str], Mapping[str, str]]
    """NATS_URL, NATS_USER, NATS_PASSWORD of a service."""
    objects_url: str
    gateway_port: int
    base_environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def skillnet_services(addresses: StackAddresses, scale: Mapping[str, int]) -> list[ServiceProcess]:
    """Each service as `python -m skillnet_<name>`, one process or as many as `scale` says."""
    check_scale(scale)
    return [
        ServiceProcess(
            name=name,
            argv=(sys.executable, "-m", f"skillnet_{name}"),
            env=_environment(name, addresses),
            replicas=scale.get(name, 1),
            stop_order=_STOP_ORDER[name],
        )
        for name in SERVICES
    ]


def check_scale(scale: Mapping[str, int]) -> None:
    """`invalid_request` for a service that does not exist or cannot run so many times."""
    for name, count in scale.items():
        if name not in SERVICES:
            raise SkillnetError(
                ErrorCode.INVALID_REQUEST, f"There is no service {name!r}. There are: {', '.join(SERVICES)}."
            )
        if count < 0 or (name == GATEWAY and count > 1):
            raise SkillnetError(
                ErrorCode.INVALID_REQUEST,
                f"{name} cannot run {count} times: the gateway runs once, others 0 or more.",
            )


def _environment(name: str, addresses: StackAddresses) -> dict[str, str]:
    environment = {
        **addresses.base_environment,
        **addresses.bus(name),
        "DATABASE_URL": addresses.database(name),
        "OBJECT_STORE_URL": addresses.objects_url,
        "PYTHONUNBUFFERED": "1",
    }
    environment.pop("DATABASE_ADMIN_URL", None)  # no service may hold the superuser's password
    if name == GATEWAY:
        environment["HTTP_PORT"] = str(addresses.gateway_port)
    return environment
