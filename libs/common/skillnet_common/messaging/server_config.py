"""The configuration of a NATS server of one's own, with the users, accounts and permissions of the code.

`python -m skillnet_common.messaging.server_config > deploy/nats/nats.conf`. Passwords are read by the server from
its environment, a variable a user: see `password_variable`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import replace

from skillnet_common.messaging.accounts import nats_accounts
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.users import NatsUser

CLIENT_PORT = 4222
MONITORING_PORT = 8222
STORE_FOLDER = "/data/jetstream"

MAX_PAYLOAD_BYTES = 1024 * 1024
MEMORY_STORE_BYTES = 256 * 1024**2
FILE_STORE_BYTES = 8 * 1024**3

_HEADER = "# Generated: python -m skillnet_common.messaging.server_config > deploy/nats/nats.conf\n"
_QUOTED_VARIABLE = re.compile(r'"password": "(\$\w+)"')


def server_config(users: Iterable[NatsUser], *, listen: str, monitoring: str, store: str) -> dict[str, object]:
    """What every server has in common; its language contains JSON. Without users everyone may do everything."""
    config: dict[str, object] = {
        "listen": listen,
        "http": monitoring,
        "max_payload": MAX_PAYLOAD_BYTES,
        "jetstream": {
            "store_dir": store,
            "max_memory_store": MEMORY_STORE_BYTES,
            "max_file_store": FILE_STORE_BYTES,
            "sync_interval": "10s",
        },
    }
    if accounts := nats_accounts(users):
        config["accounts"] = accounts
    return config


def password_variable(user: str) -> str:
    """The variable with a user's password. Its value is read as a value of the configuration's language: in quotes
    it may hold anything but quotes; without them digits become a number."""
    return f"NATS_{user.upper()}_PASSWORD"


def render() -> str:
    """The configuration for a container: every interface, the store on the volume /data."""
    users = [replace(user, password=f"${password_variable(user.name)}") for user in service_users()]
    config = {
        "server_name": "skillnet",
        **server_config(
            users, listen=f"0.0.0.0:{CLIENT_PORT}", monitoring=f"0.0.0.0:{MONITORING_PORT}", store=STORE_FOLDER
        ),
    }
    text = json.dumps(config, indent=2, ensure_ascii=False)
    return _HEADER + _QUOTED_VARIABLE.sub(r'"password": \1', text) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
