"""The progress of an ingest on standard error: redrawn in place on a terminal, else a line now and then."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from threading import Lock
from types import TracebackType
from typing import Self
from uuid import UUID

from rich.console import Console
from rich.live import Live
from rich.text import Text

from skillnet_cli.progress_view import lines, percent, summary, tally
from skillnet_common.contracts.documents import DocumentSummary

_ROWS = 8
_PLAIN_SECONDS = 5.0


class ProgressDisplay:
    """A context manager; `quiet` shows nothing at all."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self._console = console
        self._quiet = quiet
        live = console.is_terminal and not quiet
        self._live = Live(console=console, auto_refresh=False, transient=False) if live else None
        self._lock = Lock()
        self._sent = 0
        self._shown = 0
        self._last_line = ""
        self._next_line_at = 0.0

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def uploaded(self, total: int) -> None:
        """One more file of `total` has been sent or refused. May be called from several threads."""
        with self._lock:
            self._sent += 1
            line = f"Uploading: {self._sent} of {total}"
            self._show([line], line, at_once=self._sent == total)

    def reading(self, documents: Sequence[DocumentSummary], names: Mapping[UUID, str]) -> None:
        """The documents waited for, as the gateway told of them; `names` has every one."""
        now = tally(documents, len(names))
        self._shown = percent(now, self._shown)
        width = max(self._console.width, 20)
        self._show(
            lines(documents, names, now, self._shown, rows=_ROWS, width=width),
            f"Reading: {summary(now)}",
            at_once=now.ended == now.total,
        )

    def _show(self, text: Sequence[str], line: str, *, at_once: bool) -> None:
        if self._live is not None:
            self._live.update(Text("\n".join(text), no_wrap=True, overflow="crop"), refresh=True)
        elif not self._quiet and line != self._last_line and (at_once or time.monotonic() >= self._next_line_at):
            self._last_line, self._next_line_at = line, time.monotonic() + _PLAIN_SECONDS
            self._console.print(Text(line), soft_wrap=True)
