"""Settings of the embedder."""

from __future__ import annotations

from skillnet_common.settings import WorkSettings


class EmbedderSettings(WorkSettings):
    """Two batches at a time keep every worker thread busy while one of them is being written."""

    work_slots: int = 2
