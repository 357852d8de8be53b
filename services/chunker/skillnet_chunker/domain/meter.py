"""Counts tokens the way the model will see them."""

from __future__ import annotations

from skillnet_chunker.domain.options import ChunkOptions, TokenCounter


class Meter:
    """Measures model inputs exactly, and pieces of text approximately (a sum of pieces is an estimate)."""

    def __init__(self, tokens: TokenCounter, options: ChunkOptions) -> None:
        self._count = tokens.count
        self._prefix = options.prefix
        self._special = self._count("")
        self.overhead = self._count(options.prefix)
        options.check_room(overhead=self.overhead)

    def final(self, header: str, body: str) -> int:
        """Tokens of the model's input: prefix, header and body, with the special tokens."""
        return self._count(f"{self._prefix}{header}\n\n{body}" if header else self._prefix + body)

    def header(self, header: str) -> int:
        """Tokens a header adds to an input."""
        return self.final(header, "") - self.overhead if header else 0

    def piece(self, text: str) -> int:
        """Tokens a piece of text adds to an input."""
        return max(0, self._count(text) - self._special)
