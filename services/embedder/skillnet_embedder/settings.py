"""Settings of the embedder."""

from __future__ import annotations

from skillnet_common.settings import LateInteractionSettings, WorkSettings


class EmbedderSettings(WorkSettings, LateInteractionSettings):
    """Two batches at a time keep every worker thread busy while one of them is being written."""

    work_slots: int = 2
