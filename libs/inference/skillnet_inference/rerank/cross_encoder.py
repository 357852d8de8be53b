"""An ONNX cross-encoder: question and passage in one sequence, one score out (Nogueira and Cho 2019)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

# Read when the library is loaded: nothing of a company's machine is reported to anybody.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort
import tokenizers

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.cores import available_cores
from skillnet_inference.tokenizer import with_special_tokens_out_of_reach
from skillnet_inference.vectors import Vectors

TOKENIZER_FILE = "tokenizer.json"
WEIGHTS_FILES = ("model.onnx", "onnx/model.onnx")

_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"
_ERRORS_ONLY = 3
_TWO_CLASSES = 2


class OnnxCrossEncoder:
    """Reads the folder's model.onnx and tokenizer.json.

    The graph takes `input_ids`, if it likes `attention_mask` and `token_type_ids`, int64 [1, tokens]; its first
    output is one logit [1, 1], or two of which the second means relevant. One pair at a time on one thread a core:
    without padding a pair always has the same score.
    """

    def __init__(self, folder: Path, name: str, *, window: int, threads: int | None = None) -> None:
        self._name = name
        self._window = window
        self._session = _open_session(folder)
        self._inputs = {value.name for value in self._session.get_inputs()}
        if _IDS not in self._inputs or not self._inputs <= {_IDS, _MASK, _TYPES}:
            raise _unfit(folder, f"it takes {', '.join(sorted(self._inputs))}")
        self._tokenizer = _open_tokenizer(folder, window)
        self._pool = ThreadPoolExecutor(threads or available_cores(), thread_name_prefix="reranker")

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """A score for each passage. Pairs that have not begun are dropped when the call is cancelled."""
        futures = [self._pool.submit(self._score, question, passage) for passage in passages]
        try:
            return list(await asyncio.gather(*(asyncio.wrap_future(future) for future in futures)))
        finally:
            for future in futures:
                future.cancel()

    async def close(self) -> None:
        """Waits for pairs under way."""
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    def _score(self, question: str, passage: str) -> float:
        pair = self._tokenizer.encode(self._shortened(question), passage)
        feed = {_IDS: _row(pair.ids)}
        if _MASK in self._inputs:
            feed[_MASK] = _row(pair.attention_mask)
        if _TYPES in self._inputs:
            feed[_TYPES] = _row(pair.type_ids)
        logits: Vectors = self._session.run(None, feed)[0]
        return _relevance(logits)

    def _shortened(self, question: str) -> str:
        """The question's beginning in half of the window: the passage needs the rest."""
        offsets = self._tokenizer.encode(question, add_special_tokens=False).offsets
        most = self._window // 2
        return question if len(offsets) <= most else question[: offsets[most - 1][1]]


def _relevance(logits: Vectors) -> float:
    values = np.asarray(logits, np.float64).reshape(-1)
    if values.size not in {1, _TWO_CLASSES} or not np.isfinite(values).all():
        raise PermanentFault(
            ErrorCode.PROVIDER_FAILED, f"The reranking model gave {values.size} values for a pair, or no number."
        )
    return float(values[-1] - values[0]) if values.size == _TWO_CLASSES else float(values[0])


def _row(values: Sequence[int]) -> np.ndarray:
    return np.array([values], np.int64)


def _open_session(folder: Path) -> ort.InferenceSession:
    file = next((folder / name for name in WEIGHTS_FILES if (folder / name).is_file()), None)
    if file is None:
        raise _unfit(folder, f"it has neither {' nor '.join(WEIGHTS_FILES)}")
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    try:
        return ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own family of bare exceptions
        raise _unfit(folder, f"onnxruntime cannot load {file.name} ({error})") from error


def _open_tokenizer(folder: Path, window: int) -> tokenizers.Tokenizer:
    try:
        document = with_special_tokens_out_of_reach(json.loads((folder / TOKENIZER_FILE).read_text("utf-8")))
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps(document))
    except Exception as error:  # the library raises bare Exception for what it cannot read
        raise _unfit(folder, f"{TOKENIZER_FILE} is missing or cannot be read") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(window, strategy="longest_first")
    tokenizer.encode_special_tokens = True
    return tokenizer


def _unfit(folder: Path, why: str) -> PermanentFault:
    return PermanentFault(ErrorCode.MISCONFIGURED, f"The reranking model in {folder} cannot be used: {why}.")
