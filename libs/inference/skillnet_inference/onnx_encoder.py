"""The local encoder: onnxruntime on the configured device, one text at a time, one thread a core.

A text alone needs no padding and always gets the same vector. One session serves all threads; it works in the
thread that calls it, and onnxruntime releases the interpreter's lock meanwhile. On two cores this was the fastest
way at chunk length, 1.2 to 1.5 times that of batches of 8.
"""

from __future__ import annotations

import os
import threading
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
from skillnet_inference.manifest import MANIFEST_FILE, WEIGHTS_FILE, ModelManifest, read_manifest
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.token_centre import CENTRE_TEXTS
from skillnet_inference.token_vectors import EncodedTokens, centred
from skillnet_inference.tokenizer import cut_to_window, open_tokenizer_file
from skillnet_inference.vectors import Vectors, unit_vectors

ort.disable_telemetry_events()

_ERRORS_ONLY = 3
_SOURCE = "The local model"
_TOKEN_VECTORS_RANK = 3
_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"


class OnnxEncoder(PooledEncoder):
    """Encodes with the model in a folder (model.onnx, its tokenizer, model.json).

    The graph takes `input_ids`, if it likes `attention_mask` and `token_type_ids`, int64 [1, tokens]; its first
    output is the vector [1, dimension] or, with pooling `mean` or `cls`, the token vectors [1, tokens, dimension].
    A graph that pools may give the token vectors as another output, which the manifest names.
    """

    def __init__(self, folder: Path, identity: ModelIdentity, settings: EmbeddingSettings) -> None:
        manifest = read_manifest(folder)
        self._pooling = manifest.pooling
        self._session = _open_session(folder / WEIGHTS_FILE, settings)
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._token_output = self._token_output_of(manifest)
        self._centre: Vectors | None = None
        self._centre_lock = threading.Lock()
        self._require_known_inputs()
        super().__init__(
            identity,
            open_tokenizer_file(folder / manifest.tokenizer_file),
            threads=settings.threads or available_cores(),
            group_size=1,
        )

    @property
    def gives_tokens(self) -> bool:
        """Whether the graph gives the vectors of single tokens."""
        return self._token_output is not None

    def _encode_group(self, texts: list[str], is_query: bool) -> Vectors:  # noqa: ARG002 - the prefix says it
        return np.concatenate([self._encode_one(text) for text in texts])

    def _encode_one(self, text: str) -> Vectors:
        (output,) = self._run(self._ids(text), [self._output])
        return self._vector(output)

    def _encode_with_tokens(self, prefix: str, text: str) -> EncodedTokens:
        vector, tokens = self._pass_with_tokens(prefix, text)
        return EncodedTokens(vector, centred(tokens, self._token_centre()))

    def _token_centre(self) -> Vectors:
        """The mean of the tokens of `CENTRE_TEXTS`, measured when it is first needed."""
        with self._centre_lock:
            if self._centre is None:
                prefix, window = self._identity.passage_prefix, self._identity.window
                texts = [cut_to_window(self._tokenizer, text, prefix, window)[0] for text in CENTRE_TEXTS]
                tokens = [self._pass_with_tokens(prefix, text).tokens for text in texts]
                self._centre = np.concatenate(tokens).mean(axis=0)
            return self._centre

    def _pass_with_tokens(self, prefix: str, text: str) -> EncodedTokens:
        """One run of the model; the tokens are not yet centred."""
        if self._token_output is None:
            return super()._encode_with_tokens(prefix, text)
        ids = self._ids(prefix + text)
        output, tokens = self._run(ids, [self._output, self._token_output])
        units = unit_vectors(tokens[0], len(ids), self._identity.dimension, _SOURCE)
        return EncodedTokens(self._vector(output)[0], units[self._own_tokens(prefix, text, len(ids))])

    def _own_tokens(self, prefix: str, text: str, count: int) -> slice:
        """Where the text's own tokens stand: special ones and the prefix, alike in all texts, only blur a comparison.

        A text of nothing but white space has none: then all count.
        """
        ends = [end for _, end in self._tokenizer.offsets(prefix + text)]
        first = (count - len(ends) + 1) // 2  # special tokens stand at both ends, or only in front
        own = sum(end > len(prefix) for end in ends)
        return slice(first + len(ends) - own, first + len(ends)) if own else slice(count)

    def _ids(self, text: str) -> list[int]:
        ids = self._tokenizer.encode(text)
        require_window(len(ids), self._identity.window)
        return ids

    def _run(self, ids: list[int], outputs: list[str]) -> list[Vectors]:
        values: list[Vectors] = self._session.run(outputs, self._feed(ids))
        return values

    def _vector(self, output: Vectors) -> Vectors:
        return unit_vectors(self._pooled(output), 1, self._identity.dimension, _SOURCE)

    def _feed(self, ids: list[int]) -> dict[str, np.ndarray]:
        tokens = np.array([ids], np.int64)
        feed = {_IDS: tokens}
        if _MASK in self._inputs:
            feed[_MASK] = np.ones_like(tokens)
        if _TYPES in self._inputs:
            feed[_TYPES] = np.zeros_like(tokens)
        return feed

    def _pooled(self, output: Vectors) -> Vectors:
        if self._pooling == "none" or output.ndim != _TOKEN_VECTORS_RANK:
            return output
        pooled: Vectors = output.mean(axis=1) if self._pooling == "mean" else output[:, 0]
        return pooled

    def _token_output_of(self, manifest: ModelManifest) -> str | None:
        if manifest.token_output is not None:
            self._require_output(manifest.token_output)
            return manifest.token_output
        first = self._session.get_outputs()[0]
        return None if manifest.pooling == "none" or len(first.shape) != _TOKEN_VECTORS_RANK else first.name

    def _require_output(self, name: str) -> None:
        given = [value.name for value in self._session.get_outputs()]
        if name not in given:
            raise PermanentFault(
                ErrorCode.MISCONFIGURED,
                f"{WEIGHTS_FILE} gives {', '.join(given)}, and no {name}, the token_output of {MANIFEST_FILE}.",
            )

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
