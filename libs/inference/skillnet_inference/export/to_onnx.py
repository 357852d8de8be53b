"""A Hugging Face model as a folder for EMBEDDING_MODEL_PATH: the graph from optimum, the tokenizer, a description."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.export.source import SourceModel, read_source, source_folder
from skillnet_inference.export.tools import quiet, require_export_tools
from skillnet_inference.manifest import (
    MANIFEST_FILE,
    WEIGHTS_FILE,
    ModelManifest,
    file_sha256,
    tokenizer_fingerprint,
    weights_fingerprint,
)
from skillnet_inference.model_store import Progress
from skillnet_inference.precision import Precision
from skillnet_inference.tokenizer import TOKENIZER_JSON_FILE

_LARGEST_PROTOBUF = 2**31 - 1
"""Bytes of a graph with its weights inside; larger ones keep them in a file beside it."""


def export_model(
    source: str,
    output: Path,
    precision: Precision,
    progress: Progress,
    *,
    name: str | None = None,
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
) -> ModelManifest:
    """Writes the folder `output`, which appears whole or not at all, and returns its description.

    `source` is a folder of Hugging Face or a name on the hub. `name` and the prefixes replace what the source says.
    Raises PermanentFault: `invalid_request` where `output` is taken, `not_found` without a source, `misconfigured`
    without the extra or for a model that the encoder cannot run.
    """
    require_export_tools()
    _require_free(output)
    with quiet():
        progress(0.0, "Reading the model")
        folder, found_name = source_folder(source)
        model = read_source(folder, name or found_name)
        if query_prefix is not None:
            model = replace(model, query_prefix=query_prefix)
        if passage_prefix is not None:
            model = replace(model, passage_prefix=passage_prefix)
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as space:
            target = Path(space) / "model"
            target.mkdir()
            _write_weights(model, target, Path(space), precision, progress)
            (target / TOKENIZER_JSON_FILE).write_text(model.tokenizer_json, "utf-8")
            progress(0.95, "Writing the description")
            manifest = _described(model, target, precision)
            target.rename(output)
    progress(1.0, "Ready")
    return manifest


def _require_free(output: Path) -> None:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise PermanentFault(
            ErrorCode.INVALID_REQUEST, f"{output} is there already: an export replaces nothing. Give a new folder."
        )


def _write_weights(model: SourceModel, target: Path, space: Path, precision: Precision, progress: Progress) -> None:
    from optimum.exporters.onnx import main_export  # noqa: PLC0415 - of the extra `export`

    progress(0.2, "Writing the graph")
    exported = target if precision is Precision.FP32 else space / "fp32"
    # Pooling is left to the encoder. The exporter's own comparison is left out: `verify` makes a stricter one.
    main_export(
        str(model.folder),
        exported,
        task="feature-extraction",
        library_name="transformers",
        framework="pt",
        dtype="fp32",
        local_files_only=True,
        do_validation=False,
    )
    if precision is Precision.INT8:
        progress(0.7, "Quantising the weights")
        _quantise(exported, target)
    for file in target.iterdir():  # the exporter's copies of what the source holds
        if not file.name.startswith(WEIGHTS_FILE):
            file.unlink()


def _quantise(exported: Path, target: Path) -> None:
    """int8 weights with a scale for each output; activations are scaled when they are known.

    One scale for a whole matrix costs four times as much (mean cosine to float32 of 0.989 instead of 0.997 for
    multilingual-e5-small). See https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415

    size = sum(file.stat().st_size for file in exported.glob(f"{WEIGHTS_FILE}*"))
    quantize_dynamic(
        exported / WEIGHTS_FILE,
        target / WEIGHTS_FILE,
        per_channel=True,
        weight_type=QuantType.QInt8,
        use_external_data_format=size > _LARGEST_PROTOBUF,
    )


def _described(model: SourceModel, target: Path, precision: Precision) -> ModelManifest:
    bare = ModelManifest(
        name=model.name,
        dimension=model.dimension,
        window=model.window,
        pooling=model.pooling,
        query_prefix=model.query_prefix,
        passage_prefix=model.passage_prefix,
        precision=precision,
    )
    manifest = bare.model_copy(
        update={
            "weights_fingerprint": weights_fingerprint(target, bare),
            "tokenizer_fingerprint": tokenizer_fingerprint(target, bare),
            "files": {file.name: file_sha256(file) for file in sorted(target.iterdir())},
        }
    )
    (target / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
    return manifest
