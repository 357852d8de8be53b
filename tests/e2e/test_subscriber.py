"""The example of another team's service: twenty lines of plain nats-py that hear and replay every event."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .conftest import Company
from .system import System, clean_environment

SUBSCRIBER = Path(__file__).parents[2] / "examples" / "subscriber.py"
_WAIT_SECONDS = 60


class Listener:
    """A running subscriber and the lines it has printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.lines: list[str] = []
        self._process = process
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(line.rstrip("\n") for line in iter(self._process.stdout.readline, ""))

    def wait_for(self, *endings: str) -> list[str]:
        """All lines, once for each ending a line has come that has it."""
        deadline = time.monotonic() + _WAIT_SECONDS
        while not all(any(line.endswith(ending) for line in self.lines) for ending in endings):
            assert time.monotonic() < deadline, f"{endings} not in {self.lines}"
            assert self._process.poll() is None, "the subscriber ended"
            time.sleep(0.05)
        return list(self.lines)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()


@contextmanager
def subscriber(system: System, team: str) -> Iterator[Listener]:
    """Runs the example under a team's name."""
    wanted = ("NATS_URL", "NATS_USER", "NATS_PASSWORD")
    environment = clean_environment({name: system.environment[name] for name in wanted})
    with subprocess.Popen(
        [sys.executable, str(SUBSCRIBER), team], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        listener = Listener(process)
        try:
            yield listener
        finally:
            listener.end()


def test_it_hears_every_event_and_a_new_name_replays_them(system: System, company: Company) -> None:
    with subscriber(system, "equipo-a") as listener:
        company.ingest("horario.md", b"# Horario de verano\n\nSe abre a las siete.")
        listener.wait_for("created v1 Horario de verano")
        company.ingest("horario.md", b"# Horario de verano\n\nSe abre a las ocho.")
        heard = listener.wait_for("created v1 Horario de verano", "replaced v2 Horario de verano")
    company.ingest("horario.md", b"# Horario de verano\n\nSe abre a las nueve.")
    with subscriber(system, "equipo-a") as listener:
        missed = listener.wait_for("replaced v3 Horario de verano")
    assert not set(heard) & set(missed), "a durable name goes on where it stopped"
    with subscriber(system, "equipo-b") as listener:
        replayed = listener.wait_for("replaced v3 Horario de verano")
    assert replayed == [*heard, *missed]
    assert len({line.split()[0] for line in replayed}) == len(replayed)


def test_it_needs_nothing_of_ours_and_some_twenty_lines() -> None:
    tree = ast.parse(SUBSCRIBER.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not any("skillnet" in ast.unparse(node) for node in imports)
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node not in imports]
    assert len(statements) <= 20
