"""From settings to an encoder, a tokenizer and the model's identity. Heavy libraries are imported only when used."""

from __future__ import annotations

from pathlib import Path

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.catalog import CarriedModel, carried_model
from skillnet_inference.encoder import Encoder
from skillnet_inference.identity import ModelIdentity, Provider, fingerprint_of
from skillnet_inference.manifest import read_manifest, require_intact, tokenizer_fingerprint, weights_fingerprint
from skillnet_inference.model_store import ModelStore, Progress, built_weights_fingerprint
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer, open_tokenizer_file


def model_identity(settings: EmbeddingSettings) -> ModelIdentity:
    """Who embeds under these settings: equal in every service, known without loading weights."""
    if settings.provider is Provider.API:
        return _api_identity(settings)
    if settings.model_path is not None:
        return _folder_identity(settings, settings.model_path)
    return _carried_identity(settings, _required_carried(settings))


def open_tokenizer(settings: EmbeddingSettings) -> Tokenizer:
    """The tokenizer alone: quick, and without onnxruntime."""
    folder = settings.model_path or ModelStore().prepare_tokenizer(_required_carried(settings))
    return open_tokenizer_file(folder / read_manifest(folder).tokenizer_file)


def open_encoder(settings: EmbeddingSettings, progress: Progress | None = None) -> Encoder:
    """The encoder, ready to use; the carried model is built first where it is not in the cache."""
    identity = model_identity(settings)
    if settings.provider is Provider.API:
        from skillnet_inference.api_encoder import OpenAICompatibleEncoder  # noqa: PLC0415

        return OpenAICompatibleEncoder(settings, identity, open_tokenizer(settings))
    from skillnet_inference.onnx_encoder import OnnxEncoder  # noqa: PLC0415

    return OnnxEncoder(prepare_model(settings, progress), identity, settings)


def prepare_model(settings: EmbeddingSettings, progress: Progress | None = None) -> Path:
    """The folder of what the settings need on this machine, its files checked; built where it is not in the cache.

    With the API provider that is the tokenizer alone.
    """
    if settings.model_path is not None:
        require_intact(settings.model_path, read_manifest(settings.model_path))
        return settings.model_path
    carried = _required_carried(settings)
    if settings.provider is Provider.API:
        return ModelStore().prepare_tokenizer(carried)
    return ModelStore().prepare(carried, settings.precision, settings.table_precision, progress)


def _carried_identity(settings: EmbeddingSettings, carried: CarriedModel) -> ModelIdentity:
    _require_dimension(settings, carried.dimension)
    return ModelIdentity(
        name=carried.name,
        provider=Provider.LOCAL,
        dimension=carried.dimension,
        window=carried.window,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
        pooling=carried.pooling,
        precision=settings.precision,
        weights_fingerprint=built_weights_fingerprint(carried, settings.precision, settings.table_precision),
        tokenizer_fingerprint=carried.tokenizer_sha256,
    )


def _folder_identity(settings: EmbeddingSettings, folder: Path) -> ModelIdentity:
    manifest = read_manifest(folder)
    expressly = settings.model_fields_set
    if "dim" in expressly:
        _require_dimension(settings, manifest.dimension)
    return ModelIdentity(
        name=manifest.name,
        provider=Provider.LOCAL,
        dimension=manifest.dimension,
        window=manifest.window,
        query_prefix=settings.query_prefix if "query_prefix" in expressly else manifest.query_prefix,
        passage_prefix=settings.passage_prefix if "passage_prefix" in expressly else manifest.passage_prefix,
        pooling=manifest.pooling,
        precision=manifest.precision,
        weights_fingerprint=weights_fingerprint(folder, manifest),
        tokenizer_fingerprint=tokenizer_fingerprint(folder, manifest),
    )


def _api_identity(settings: EmbeddingSettings) -> ModelIdentity:
    """The weights behind an API cannot be seen: its model's name stands for them, whatever the address."""
    window, tokenizer = _api_tokenizer(settings)
    return ModelIdentity(
        name=settings.model,
        provider=Provider.API,
        dimension=settings.dim,
        window=window,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
        pooling="none",
        precision="api",
        weights_fingerprint=fingerprint_of(
            {"api_model": settings.api_model_name, "input_type": settings.api_input_type}
        ),
        tokenizer_fingerprint=tokenizer,
    )


def _api_tokenizer(settings: EmbeddingSettings) -> tuple[int, str]:
    if settings.model_path is not None:
        manifest = read_manifest(settings.model_path)
        return manifest.window, tokenizer_fingerprint(settings.model_path, manifest)
    carried = _required_carried(settings)
    return carried.window, carried.tokenizer_sha256


def _required_carried(settings: EmbeddingSettings) -> CarriedModel:
    carried = carried_model(settings.model)
    if carried is None:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"No installed package carries {settings.model}. Set EMBEDDING_MODEL_PATH to a folder with model.onnx, "
            "tokenizer.json and model.json (for EMBEDDING_PROVIDER=api, the latter two are enough).",
            model=settings.model,
        )
    return carried


def _require_dimension(settings: EmbeddingSettings, dimension: int) -> None:
    if settings.dim != dimension:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"EMBEDDING_DIM is {settings.dim}, but the model's vectors have {dimension} values.",
        )
