"""From settings to a reranker. Heavy libraries are imported only when used."""

from __future__ import annotations

from pathlib import Path

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.rerank.reranker import Reranker
from skillnet_inference.rerank.settings import RerankProvider, RerankSettings


def open_reranker(settings: RerankSettings) -> Reranker | None:
    """The reranker, ready to use; None where none is wanted. A local model is fetched from the hub once where no
    folder is given. Raises PermanentFault where it cannot be used, PassingFault where the hub cannot be reached."""
    if settings.provider is RerankProvider.OFF:
        return None
    if settings.sends_text:
        from skillnet_inference.rerank.api_reranker import ApiReranker  # noqa: PLC0415

        return ApiReranker(settings)
    from skillnet_inference.rerank.cross_encoder import OnnxCrossEncoder  # noqa: PLC0415

    folder = settings.model_path or _fetched(settings.model)
    return OnnxCrossEncoder(folder, settings.model, window=settings.window, threads=settings.threads)


def _fetched(name: str) -> Path:
    """The model's folder in the hub's cache, downloaded where it is not there."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError  # noqa: PLC0415

    from skillnet_inference.rerank.cross_encoder import TOKENIZER_FILE, WEIGHTS_FILES  # noqa: PLC0415

    try:
        return Path(snapshot_download(name, allow_patterns=[TOKENIZER_FILE, *WEIGHTS_FILES]))
    except (HFValidationError, RepositoryNotFoundError) as error:
        raise PermanentFault(ErrorCode.NOT_FOUND, f"The hub has no model {name}, or not for everybody.") from error
    except OSError as error:  # of the network, and what the library derives from it
        raise PassingFault(
            ErrorCode.UNAVAILABLE,
            f"The hub cannot be reached for {name}. Fetch its folder elsewhere and set RERANK_MODEL_PATH.",
        ) from error
