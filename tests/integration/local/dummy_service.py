"""A service as the supervisor sees one: /readyz on OPS_PORT, a drain on SIGTERM, a diary of what happened to it.

Environment: DIARY (a file), NAME, and optionally DRAIN_SECONDS, CHILD (start a child process), EXIT (end at once
with this code), SHELTER (ignore SIGTERM), NEVER_READY, READY_FILE (ready only while this file exists).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


def write(event: str) -> None:
    with Path(os.environ["DIARY"]).open("a", encoding="utf-8") as diary:
        diary.write(f"{time.monotonic():.3f} {os.environ['NAME']} {event}\n")


class Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/readyz" and self._ready() else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _ready(self) -> bool:
        ready_file = os.environ.get("READY_FILE")
        return "NEVER_READY" not in os.environ and (ready_file is None or Path(ready_file).exists())

    def log_message(self, *_: object) -> None:
        return


def main() -> None:
    print(f"starting, secret of the superuser: {os.environ.get('DATABASE_ADMIN_URL')}", flush=True)
    if "EXIT" in os.environ:
        print("cannot live like this", flush=True)
        sys.exit(int(os.environ["EXIT"]))
    if "CHILD" in os.environ:
        child = subprocess.Popen(["/bin/sleep", "300"])
        write(f"child {child.pid}")
    stopping = threading.Event()
    shelter = "SHELTER" in os.environ
    signal.signal(signal.SIGTERM, signal.SIG_IGN if shelter else lambda *_: stopping.set())
    server = HTTPServer(("127.0.0.1", int(os.environ["OPS_PORT"])), Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    write(f"started {os.getpid()}")
    stopping.wait()
    write("draining")
    time.sleep(float(os.environ.get("DRAIN_SECONDS", "0")))
    write("drained")


main()
