"""Embedding speed against sentence-transformers (torch float32) at its better batch size of 8 and 32."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.corpus import chunk_length, mixed_length, token_count
from benchmarks.reference.model_folder import write_model_folder
from benchmarks.results import Result, progress
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import open_encoder
from skillnet_inference.settings import EmbeddingSettings

PYTHON_VARIABLE = "EXPORT_PYTHON"
_ROUNDS = 3
_TEXTS = 48
_SCRIPT = Path(__file__).parent / "reference" / "sentence_transformers_encode.py"


def measure() -> Iterator[Result]:
    """Yields a ratio for texts of chunk length and one for mixed lengths."""
    reference = os.environ.get(PYTHON_VARIABLE)
    if reference is None:
        progress(f"embedding skipped: {PYTHON_VARIABLE} is not set (make bench sets it)")
        return
    encoder = open_encoder(EmbeddingSettings())
    try:
        with tempfile.TemporaryDirectory() as folder:
            progress("writing the reference's model folder")
            write_model_folder(Path(folder))
            for name, texts in (("chunk length", chunk_length(_TEXTS)), ("mixed lengths", mixed_length(_TEXTS))):
                yield _compare(name, texts, encoder, reference, Path(folder))
    finally:
        encoder.close()


def _compare(name: str, texts: Sequence[str], encoder: Encoder, python: str, folder: Path) -> Result:
    tokens = token_count(texts)
    first = encoder.encode_passages(texts[:4])[0]
    ours, theirs, cosine = [], [], 1.0
    for number in range(_ROUNDS):
        progress(f"embedding, {name}, round {number + 1} of {_ROUNDS}")
        begun = time.perf_counter()
        encoder.encode_passages(texts)
        ours.append(tokens / (time.perf_counter() - begun))
        reply = _reference(python, folder, texts)
        theirs.append(tokens / min(reply["seconds"].values()))
        cosine = float(np.dot(first, np.array(reply["first"])))
    ratio = statistics.median(o / t for o, t in zip(ours, theirs, strict=True))
    return Result(
        f"embedding, int8, {name}, against torch float32",
        ratio,
        "times",
        1.8,
        "above",
        f"{statistics.median(ours):.0f} against {statistics.median(theirs):.0f} tokens/s"
        f" ({tokens} tokens in {len(texts)} texts; the first text's vectors agree to a cosine of {cosine:.4f})",
    )


def _reference(python: str, folder: Path, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(list(texts), file)
        file.flush()
        done = subprocess.run(
            [python, str(_SCRIPT), str(folder), file.name], capture_output=True, text=True, check=True
        )
    reply: dict[str, dict[str, float]] = json.loads(done.stdout)
    return reply
