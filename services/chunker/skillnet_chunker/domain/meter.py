"""Counts tokens the way the model will see them."""

from __future__ import annotations

from skillnet_chunker.domain.options import ChunkOptions, TokenCounter
from skillnet_common.documents.chunk import model_text


class Meter:
    """Measures model inputs exactly, and pieces of text by their words.

    Most tokenizers never join two words in one token, so that the sum over the words of a text is its size
    or nearly so; each word is counted once. What is decided by such sums is verified on the model input.
    """

    def __init__(self, tokens: TokenCounter, options: ChunkOptions) -> None:
        self._count = tokens.count
        self._prefix = options.prefix
        self._special = self._count("")
        self._words: dict[str, int] = {}
        self._headers: dict[str, int] = {}
        self.overhead = self._count(options.prefix)
        options.check_room(overhead=self.overhead)

    def final(self, header: str, body: str) -> int:
        """Tokens of the model's input: prefix, header and body, with the special tokens."""
        return self._count(self._prefix + model_text(header, body))

    def header(self, header: str) -> int:
        """Tokens a header adds to an input."""
        if header not in self._headers:
            self._headers[header] = self.final(header, "") - self.overhead if header else 0
        return self._headers[header]

    def piece(self, text: str) -> int:
        """Tokens a piece of text adds to an input, nearly."""
        return sum(map(self._word, text.split()))

    def _word(self, word: str) -> int:
        tokens = self._words.get(word)
        if tokens is None:
            tokens = max(0, self._count(f" {word}") - self._special)
            self._words[word] = tokens
        return tokens
