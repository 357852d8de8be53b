"""A model's identity: everything a vector depends on, and a name for subjects."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from skillnet_inference.identity import ModelIdentity, Provider

IDENTITY = ModelIdentity(
    name="intfloat/multilingual-e5-small",
    provider=Provider.LOCAL,
    dimension=384,
    window=512,
    query_prefix="query: ",
    passage_prefix="passage: ",
    pooling="mean",
    precision="int8",
    weights_fingerprint="a" * 64,
    tokenizer_fingerprint="b" * 64,
)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"provider": Provider.API},
        {"dimension": 768},
        {"window": 256},
        {"query_prefix": ""},
        {"passage_prefix": "passage:"},
        {"pooling": "cls"},
        {"precision": "fp32"},
        {"weights_fingerprint": "c" * 64},
        {"tokenizer_fingerprint": "c" * 64},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_part_counts(change: dict[str, Any]) -> None:
    other = replace(IDENTITY, **change)
    assert other.fingerprint != IDENTITY.fingerprint
    assert other.slug != IDENTITY.slug


def test_equal_parts_give_the_same_fingerprint() -> None:
    assert replace(IDENTITY).fingerprint == IDENTITY.fingerprint
    assert re.fullmatch("[0-9a-f]{64}", IDENTITY.fingerprint)


def test_the_slug_is_short_and_readable() -> None:
    assert IDENTITY.slug == f"multilingual-e5-small-int8-{IDENTITY.fingerprint[:8]}"


@pytest.mark.parametrize("name", ["Größe 1.5*>", "a.b/c.d e", "///", "x" * 500, "日本語"])
def test_the_slug_is_one_token_of_a_subject(name: str) -> None:
    slug = replace(IDENTITY, name=name).slug
    assert re.fullmatch(r"[a-z0-9-]{1,100}", slug)
