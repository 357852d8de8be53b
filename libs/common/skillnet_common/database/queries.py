"""SQL in named files: `-- name: finish_version` starts a query, the next such line ends it."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_HEADER = re.compile(r"^-- name: ([a-z][a-z0-9_]*)\s*$", re.MULTILINE)


class Queries:
    """The queries of one `.sql` file, as attributes. A wrong name is an AttributeError, a double one a ValueError."""

    def __init__(self, package: str, file: str) -> None:
        self._texts = _load(package, file)

    def __getattr__(self, name: str) -> str:
        try:
            return self._texts[name]
        except KeyError:
            raise AttributeError(f"no query named {name!r}; there are {sorted(self._texts)}") from None


@cache
def _load(package: str, file: str) -> dict[str, str]:
    parts = _HEADER.split(resources.files(package).joinpath(file).read_text(encoding="utf-8"))
    names, texts = parts[1::2], parts[2::2]
    if len(set(names)) != len(names):
        raise ValueError(f"{package}/{file} names a query twice")
    return {name: text.strip() for name, text in zip(names, texts, strict=True)}
