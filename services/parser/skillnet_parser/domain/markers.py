"""List markers: bullets, letters, numbers."""

from __future__ import annotations

import re

BULLETS = "•·▪◦‣●○■□➢✓✔❖►▶◆◇–—−*-"
_MARKER = re.compile(
    rf"\s*(?:[{re.escape(BULLETS)}]+\s+|\(?(?:\d{{1,3}}|[a-zñ]|[ivxl]{{1,5}})[.)ºª]{{1,2}}[-–]?\s+)(?=\S)",
    re.IGNORECASE,
)
_BULLET = re.compile(rf"\s*[{re.escape(BULLETS)}]+\s+\S")


def starts_item(text: str) -> bool:
    """Whether a line begins with a list marker and has text behind it."""
    return _MARKER.match(text) is not None


def starts_bullet(text: str) -> bool:
    """Whether the marker is a bullet or a dash, not a number or a letter."""
    return _BULLET.match(text) is not None
