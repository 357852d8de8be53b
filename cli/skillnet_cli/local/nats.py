"""nats-server with JetStream from its wheel, in a folder, for this process alone."""

from __future__ import annotations

import http.client
import json
import secrets
import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import psutil

from skillnet_cli.local.accounts import remove_tree
from skillnet_cli.local.ports import HOST
from skillnet_cli.local.private_file import kept_passwords, write_private
from skillnet_cli.local.programs import nats_server_program
from skillnet_cli.local.server import EmbeddedServer
from skillnet_common.messaging.server_config import server_config
from skillnet_common.messaging.users import NatsUser


class EmbeddedNats(EmbeddedServer):
    """A NATS server on 127.0.0.1 with JetStream, a monitoring port and the given users.

    `users` maps a service's name to its user; a password left empty is generated once and kept in
    `<folder>/passwords.json` (mode 0600). Without users everyone may connect and do everything.
    JetStream's store is `<folder>/jetstream`.
    """

    title: ClassVar[str] = "nats-server"
    port_names: ClassVar[tuple[str, ...]] = ("client", "monitoring")
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, folder: Path, users: Mapping[str, NatsUser] | None = None) -> None:
        super().__init__(folder)
        self._requested_users = dict(users or {})
        self._server_name = f"skillnet-{secrets.token_hex(4)}"
        self.users: dict[str, NatsUser] = {}
        """The users with their passwords; filled by `start`."""

    @property
    def log_path(self) -> Path:
        """The server's log."""
        return self.folder / "nats.log"

    @property
    def url(self) -> str:
        """The server's address without a user."""
        return f"nats://{HOST}:{self.ports['client']}"

    @property
    def monitoring_url(self) -> str:
        """The address of the monitoring pages (/healthz, /jsz, /varz)."""
        return f"http://{HOST}:{self.ports['monitoring']}"

    def url_for(self, service: str) -> str:
        """The server's address with the service's user and password.

        nats-py does not undo percent-escapes: a password given rather than generated is best of plain letters.
        """
        user = self.users[service]
        name, password = (quote(part, safe="") for part in (user.name, user.password))
        return f"nats://{name}:{password}@{HOST}:{self.ports['client']}"

    def delete(self) -> None:
        """Stop, and remove the folder."""
        self.stop()
        remove_tree(self.folder)

    def _prepare(self) -> None:
        unset = [service for service, user in self._requested_users.items() if not user.password]
        passwords = kept_passwords(self.folder / "passwords.json", unset)
        self.users = {
            service: user if user.password else replace(user, password=passwords[service])
            for service, user in self._requested_users.items()
        }

    @property
    def _config_path(self) -> Path:
        return self.folder / "nats.conf"

    @property
    def _pid_path(self) -> Path:
        return self.folder / "nats.pid"

    def _command(self) -> Sequence[str]:
        write_private(self._config_path, json.dumps(self._config(), indent=1, ensure_ascii=False))
        return [str(nats_server_program()), "-c", str(self._config_path.resolve())]

    def _config(self) -> dict[str, object]:
        """The server's configuration, whose language contains JSON."""
        return {
            "server_name": self._server_name,
            "pid_file": str(self._pid_path.resolve()),
            **server_config(
                self.users.values(),
                listen=f"{HOST}:{self.ports['client']}",
                monitoring=f"{HOST}:{self.ports['monitoring']}",
                store=str((self.folder / "jetstream").resolve()),
            ),
        }

    def _is_ready(self) -> bool:
        """Healthy, and really this server: another may have won the race for the monitoring port."""
        varz = self._monitoring_page("/varz")
        return (
            varz is not None
            and json.loads(varz)["server_name"] == self._server_name
            and self._monitoring_page("/healthz") is not None
        )

    def _monitoring_page(self, path: str) -> bytes | None:
        """The page's body; None when the server does not answer it with success."""
        connection = http.client.HTTPConnection(HOST, self.ports["monitoring"], timeout=1.0)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        return body if response.status == http.HTTPStatus.OK else None

    def _lingering_process(self) -> int | None:
        """nats-server does not lock its store: find an earlier one by its pid file and its arguments."""
        if not self._pid_path.exists():
            return None
        pid = int(self._pid_path.read_text(encoding="ascii"))
        try:
            process = psutil.Process(pid)
            ours = str(self._config_path.resolve()) in process.cmdline()
            return pid if ours and process.status() != psutil.STATUS_ZOMBIE else None
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return None
