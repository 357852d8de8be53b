"""What of a text is stored: its vector, and with late interaction the sign bits of its tokens, of the same pass."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from skillnet_inference.encoder import Encoder
from skillnet_inference.token_vectors import EncodedPassages

Encode = Callable[[Sequence[str]], Awaitable[EncodedPassages]]


def encode_with(encoder: Encoder, *, late_interaction: bool) -> Encode:
    """How the encoder encodes. A model that gives no vectors of tokens has none stored, whatever the setting."""
    if late_interaction and encoder.gives_tokens:
        return encoder.aencode_passages_with_tokens

    async def vectors_alone(texts: Sequence[str]) -> EncodedPassages:
        return EncodedPassages(await encoder.aencode_passages(texts), None)

    return vectors_alone
