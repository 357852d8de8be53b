"""What `skillnet export` says at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillnet_cli.commands.export import _print_summary
from skillnet_cli.exporting.export import Exported


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (Exported(documents=1, originals=1, bytes=10, chunks=1), "copia: 1 document, 1 original (10 bytes), 1 chunk"),
        (
            Exported(documents=2, originals=2, kept=1, bytes=20, chunks=0),
            "copia: 2 documents, 2 originals (20 bytes, 1 of them there already), 0 chunks",
        ),
    ],
)
def test_what_was_exported_is_counted_in_singular_and_plural(
    capsys: pytest.CaptureFixture[str], done: Exported, said: str
) -> None:
    manifest = {"originals": done.originals, "chunks": done.chunks, "audience": None}
    _print_summary(Path("copia"), done, manifest)
    assert capsys.readouterr().out.strip() == said
