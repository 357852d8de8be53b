"""The local encoder: onnxruntime on the configured device, one text at a time, one thread a core.

A text alone needs no padding and always gets the same vector. One session serves all threads; it works in the
thread that calls it, and onnxruntime releases the interpreter's lock meanwhile. On two cores this was the fastest
way at chunk length, 1.2 to 1.5 times that of batches of 8.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

# Read when the library is loaded: nothing of a company's machine is reported to anybody.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.cores import available_cores
from skillnet_inference.devices import Device, DeviceUnusable, open_on_first, provider_options
from skillnet_inference.encoder import PooledEncoder, require_window
from skillnet_inference.identity import ModelIdentity
from skillnet_inference.manifest import WEIGHTS_FILE, read_manifest
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import open_tokenizer_file
from skillnet_inference.vectors import Vectors, unit_vectors

ort.disable_telemetry_events()

_ERRORS_ONLY = 3
_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"


class OnnxEncoder(PooledEncoder):
    """Encodes with the model in a folder (model.onnx, its tokenizer, model.json).

    The graph takes `input_ids`, if it likes `attention_mask` and `token_type_ids`, int64 [1, tokens]; its first
    output is the vector [1, dimension] or, with pooling `mean` or `cls`, the token vectors [1, tokens, dimension].
    """

    def __init__(self, folder: Path, identity: ModelIdentity, settings: EmbeddingSettings) -> None:
        manifest = read_manifest(folder)
        self._pooling = manifest.pooling
        self._session = _open_session(folder / WEIGHTS_FILE, settings)
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._require_known_inputs()
        super().__init__(
            identity,
            open_tokenizer_file(folder / manifest.tokenizer_file),
            threads=settings.threads or available_cores(),
            group_size=1,
        )

    def _encode_group(self, texts: list[str], is_query: bool) -> Vectors:  # noqa: ARG002 - the prefix says it
        return np.concatenate([self._encode_one(text) for text in texts])

    def _encode_one(self, text: str) -> Vectors:
        ids = self._tokenizer.encode(text)
        require_window(len(ids), self._identity.window)
        output = self._session.run([self._output], self._feed(ids))[0]
        return unit_vectors(self._pooled(output), 1, self._identity.dimension, "The local model")

    def _feed(self, ids: list[int]) -> dict[str, np.ndarray]:
        tokens = np.array([ids], np.int64)
        feed = {_IDS: tokens}
        if _MASK in self._inputs:
            feed[_MASK] = np.ones_like(tokens)
        if _TYPES in self._inputs:
            feed[_TYPES] = np.zeros_like(tokens)
        return feed

    def _pooled(self, output: Vectors) -> Vectors:
        if self._pooling == "none" or output.ndim != 3:
            return output
        pooled: Vectors = output.mean(axis=1) if self._pooling == "mean" else output[:, 0]
        return pooled

    def _require_known_inputs(self) -> None:
        unknown = self._inputs - {_IDS, _MASK, _TYPES}
        if unknown or _IDS not in self._inputs:
            raise PermanentFault(
                ErrorCode.MISCONFIGURED,
                f"{WEIGHTS_FILE} takes {', '.join(sorted(self._inputs))}; an encoder takes input_ids, "
                "attention_mask and token_type_ids.",
            )


def _open_session(file: Path, settings: EmbeddingSettings) -> ort.InferenceSession:
    def open_on(device: Device, provider: str) -> ort.InferenceSession:
        options = provider_options(device, settings.device_id, settings.device_memory_mb)
        try:
            session = ort.InferenceSession(
                str(file), _session_options(), providers=[(provider, options)], enable_fallback=0
            )
        except Exception as error:  # onnxruntime raises its own family of bare exceptions
            if device is Device.CPU:
                raise PermanentFault(
                    ErrorCode.MISCONFIGURED, f"onnxruntime cannot load {file}: {error}", file=file.name
                ) from error
            raise DeviceUnusable(str(error)) from error
        if provider not in session.get_providers():  # it logs why, and goes on with the processor
            raise DeviceUnusable(f"onnxruntime could not start {provider}; are its driver and libraries installed?")
        return session

    return open_on_first(settings.device, ort.get_available_providers(), open_on)


def _session_options() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    return options
