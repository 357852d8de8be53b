"""Office packages as bytes, and with a part changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any


def data_of(document: Any) -> bytes:
    """What the document's library would write to a file."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def with_part(data: bytes, name: str, change: Callable[[bytes], bytes | None]) -> bytes:
    """The package with one part changed, or left out for None."""
    source = zipfile.ZipFile(io.BytesIO(data))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.namelist():
            content = change(source.read(entry)) if entry == name else source.read(entry)
            if content is not None:
                target.writestr(entry, content)
    return buffer.getvalue()
