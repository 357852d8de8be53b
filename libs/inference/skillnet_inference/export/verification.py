"""Whether a model folder gives the vectors that sentence-transformers gives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.encoder import Encoder
from skillnet_inference.export.source import load_sentence_transformer, source_folder
from skillnet_inference.export.texts import verification_texts
from skillnet_inference.export.tools import quiet, require_export_tools
from skillnet_inference.factory import open_encoder, prepare_model
from skillnet_inference.identity import ModelIdentity, Provider
from skillnet_inference.model_store import Progress
from skillnet_inference.precision import Precision
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import cut_to_window
from skillnet_inference.vectors import Vectors

LEAST_COSINE = {Precision.FP32: 0.999, Precision.INT8: 0.97}
"""The least cosine of any text to sentence-transformers in float32, by the precision of the folder.

For multilingual-e5-small in int8 the mean is 0.9965 and the worst is 0.983, a text of one letter eighty times;
sentences stay above 0.993. In float32 all are above 0.99999.
"""

_REFERENCE_BATCH = 8


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cosines over all texts, each as a passage and as a query. `worst` is the beginning of the worst text."""

    mean_cosine: float
    min_cosine: float
    least_allowed: float
    worst: str

    @property
    def passed(self) -> bool:
        """No text falls below what is allowed."""
        return self.min_cosine >= self.least_allowed


@dataclass(frozen=True, slots=True)
class Verification:
    """The model, how many texts it embedded, and how near they come where there was something to compare with."""

    identity: ModelIdentity
    texts: int
    comparison: Comparison | None

    @property
    def passed(self) -> bool:
        """What was compared holds."""
        return self.comparison is None or self.comparison.passed


def verify_model(folder: Path, against: str | None, progress: Progress) -> Verification:
    """Checks the folder's files, embeds a fixed set of texts, and compares their vectors with those of `against`.

    Texts beyond the window are cut as the system cuts questions; sentence-transformers cuts them by itself.
    Raises PermanentFault where the folder cannot be used, or where dimension or window are not those of `against`.
    """
    if against is not None:
        require_export_tools()
    settings = EmbeddingSettings(provider=Provider.LOCAL, model_path=folder)
    progress(0.0, "Checking the files")
    prepare_model(settings)
    with closing(open_encoder(settings)) as encoder:
        progress(0.1, "Embedding")
        texts = verification_texts(encoder.identity.window)
        finals, vectors = _embedded(encoder, texts)
        comparison = None
        if against is not None:
            progress(0.3, "Embedding with sentence-transformers")
            comparison = _compared(encoder.identity, finals, vectors, against)
    progress(1.0, "Done")
    return Verification(encoder.identity, len(texts), comparison)


def _embedded(encoder: Encoder, texts: Sequence[str]) -> tuple[list[str], Vectors]:
    """The final strings before any cut, passages first, and their vectors. White space around a string is left out:
    for the encoder it never becomes a token, whatever the model's tokenizer would make of it."""
    identity = encoder.identity
    cut = [cut_to_window(encoder.tokenizer, text, identity.passage_prefix, identity.window)[0] for text in texts]
    passages = encoder.encode_passages(cut)
    queries = np.stack([encoder.encode_query(encoder.fit_query(text)[0]) for text in texts])
    finals = [
        (prefix + text).strip() for prefix in (identity.passage_prefix, identity.query_prefix) for text in texts
    ]
    return finals, np.concatenate([passages, queries])


def _compared(identity: ModelIdentity, finals: list[str], vectors: Vectors, against: str) -> Comparison:
    with quiet():
        model = load_sentence_transformer(source_folder(against)[0])
        found = (int(model.get_embedding_dimension()), model.max_seq_length)
        if found != (identity.dimension, identity.window):
            raise PermanentFault(
                ErrorCode.MODEL_MISMATCH,
                f"{against} has {found[0]} dimensions and a window of {found[1]} tokens, the folder "
                f"{identity.dimension} and {identity.window}: they are not the same model.",
            )
        reference = model.encode(
            finals, prompt="", batch_size=_REFERENCE_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
    cosines = np.sum(vectors * reference, axis=1)
    worst = int(cosines.argmin())
    return Comparison(
        mean_cosine=float(cosines.mean()),
        min_cosine=float(cosines[worst]),
        least_allowed=_least_cosine(identity.precision),
        worst=finals[worst][:80],
    )


def _least_cosine(precision: str) -> float:
    """Precisions of other exporters are held to float32's measure."""
    return LEAST_COSINE[Precision.INT8 if precision == Precision.INT8 else Precision.FP32]
