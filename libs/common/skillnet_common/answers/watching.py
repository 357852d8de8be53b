"""Citations in an answer that is still being written, piece by piece."""

from __future__ import annotations

from skillnet_common.answers.citations import MARK, numbers_of

_OPENERS = "[(【"
_LONGEST_MARK = 300
"""Characters. A bracket that is open for longer is no citation."""


class CitationWatch:
    """Tells of each source the first time a mark that names it is complete, however the pieces cut the marks."""

    def __init__(self) -> None:
        self._rest = ""
        self._seen: set[int] = set()

    def feed(self, piece: str) -> list[int]:
        """The numbers that this piece completes a first citation of, in order."""
        text = self._rest + piece
        end = 0
        found: list[int] = []
        for match in MARK.finditer(text):
            end = match.end()
            found += [number for number in numbers_of(match[1]) if number not in self._seen]
            self._seen.update(found)
        self._rest = _open_part(text[end:])
        return list(dict.fromkeys(found))


def _open_part(text: str) -> str:
    """What a mark that is not complete yet may have begun with."""
    start = max(text.rfind(opener) for opener in _OPENERS)
    return text[start:] if start >= 0 and len(text) - start <= _LONGEST_MARK else ""
