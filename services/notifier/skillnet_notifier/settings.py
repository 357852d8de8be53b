"""Settings of the notifier."""

from __future__ import annotations

from pydantic import Field

from skillnet_common.settings import CommonSettings


class NotifierSettings(CommonSettings):
    """How it reads events."""

    notifier_slots: int = Field(default=4, ge=1, le=64)
    """How many events one instance handles at a time."""
