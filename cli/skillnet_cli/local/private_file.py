"""Files that only their owner may read: generated passwords and the state of a running stack."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Replace the file in one step, with mode 0600 from its first byte; its folder must exist."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def generated_password() -> str:
    """A password of 192 random bits, made of characters that need no quoting in an address."""
    return secrets.token_urlsafe(24)


def kept_passwords(path: Path, names: Iterable[str]) -> dict[str, str]:
    """A password for every name: those in the file at `path`, and new ones which are added to it."""
    kept: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    missing = [name for name in names if name not in kept]
    if missing:
        kept |= {name: generated_password() for name in missing}
        write_private(path, json.dumps(kept, indent=1))
    return kept
