"""Who a model is. Vectors of two identities are never compared."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property


class Provider(StrEnum):
    """Where a text is turned into a vector."""

    LOCAL = "local"
    API = "api"


@dataclass(frozen=True)
class ModelIdentity:
    """Everything that a vector depends on. Two services with the same settings hold the same identity.

    `dimension` counts the values of a vector, `window` the tokens of the longest input, special tokens included.
    The fingerprints of weights and tokenizer name the source and the recipe, so that they are known without
    reading the weights.
    """

    name: str
    provider: Provider
    dimension: int
    window: int
    query_prefix: str
    passage_prefix: str
    pooling: str
    precision: str
    weights_fingerprint: str
    tokenizer_fingerprint: str

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over all parts, in hexadecimal."""
        return fingerprint_of(asdict(self))

    @property
    def slug(self) -> str:
        """A short name, safe as one token of a NATS subject: `multilingual-e5-small-int8-1a2b3c4d`."""
        base = re.sub(r"[^a-z0-9]+", "-", self.name.rsplit("/", 1)[-1].lower()).strip("-") or "model"
        return f"{base[:64]}-{self.precision}-{self.fingerprint[:8]}"


def fingerprint_of(parts: dict[str, object]) -> str:
    """SHA-256 of the parts as canonical JSON, in hexadecimal."""
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()
