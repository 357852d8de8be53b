"""Spanish texts of given lengths in tokens, cut from the sources of the example documents."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from pathlib import Path

from skillnet_inference.factory import open_tokenizer
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer

SOURCES = Path(__file__).parent.parent / "examples" / "source"


def sentences() -> list[str]:
    """The lines of the example sources that hold prose."""
    lines = (
        line.strip("#*-|> ") for path in sorted(SOURCES.iterdir()) for line in path.read_text("utf-8").splitlines()
    )
    return [line for line in lines if len(line) > 60]


def texts_of(lengths: Iterable[int], *, seed: int = 7) -> list[str]:
    """A text for each length in tokens (a little below it)."""
    tokenizer = open_tokenizer(EmbeddingSettings())
    pool = sentences()
    random.Random(seed).shuffle(pool)  # noqa: S311
    stream = itertools.cycle(pool)
    return [_fill(stream, length, tokenizer) for length in lengths]


def chunk_length(count: int) -> list[str]:
    """Texts of about 400 tokens, as the chunker makes them."""
    return texts_of([400] * count)


def mixed_length(count: int) -> list[str]:
    """Texts of 20 to 500 tokens."""
    rng = random.Random(3)  # noqa: S311
    return texts_of([rng.randint(20, 500) for _ in range(count)])


def token_count(texts: Iterable[str]) -> int:
    """Tokens of the texts as the model reads them."""
    tokenizer = open_tokenizer(EmbeddingSettings())
    return sum(tokenizer.count("passage: " + text) for text in texts)


def _fill(stream: Iterable[str], length: int, tokenizer: Tokenizer) -> str:
    text = ""
    for sentence in stream:
        longer = f"{text} {sentence}".strip()
        if tokenizer.count("passage: " + longer) > length:
            return text or " ".join(sentence.split()[: max(3, length // 3)])
        text = longer
    return text
