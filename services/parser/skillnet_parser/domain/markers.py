"""List markers: bullets, letters, numbers."""

from __future__ import annotations

import re

BULLETS = "•·▪◦‣●○■□➢✓✔❖►▶◆◇–—−*-"
_MARKER = re.compile(
    rf"\s*(?:[{re.escape(BULLETS)}]+\s+|\(?(?:\d{{1,3}}|[a-zñ]|[ivxl]{{1,5}})[.)ºª]{{1,2}}[-–]?\s+)(?=\S)",
    re.IGNORECASE,
)
_BULLET = re.compile(rf"\s*[{re.escape(BULLETS)}]+\s+\S")
_NUMBER = re.compile(r"\s*(?P<number>\d{1,3}(?:\.\d{1,3}){0,3})[.)]?[-–]?\s+(?=\S)")


def starts_item(text: str) -> bool:
    """Whether a line begins with a list marker and has text behind it."""
    return _MARKER.match(text) is not None


def starts_bullet(text: str) -> bool:
    """Whether the marker is a bullet or a dash, not a number or a letter."""
    return _BULLET.match(text) is not None


def is_numbered_within(text: str, item: str) -> bool:
    """Whether a line is numbered as a part of a list's item, or of one that this belongs to: `1.2` after `1.`, or
    after `1.1`. Alone such a number may as well open a section."""
    numbers = [match["number"].split(".") if (match := _NUMBER.match(line)) else [] for line in (text, item)]
    own, above = numbers
    return len(own) > 1 and own[:-1] == above[: len(own) - 1]
