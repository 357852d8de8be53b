"""What declarations of style make of an element: out of sight, or how its text and that below it looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import tinycss2
from tinycss2 import color3

Declarations = Mapping[str, str]

_FAR = 999.0  # pixels: what is put so far from the page is not on it
_FAR_RIGHT = 9000.0  # no screen is so wide
_SMALLEST = 4 / 3  # pixels: one point
_PIXELS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "cm": 37.8, "mm": 3.78, "in": 96.0, "em": 16.0, "rem": 16.0, "ex": 8.0}
_OF_THE_WINDOW = 10.0  # pixels a hundredth
_PERCENT = 0.16  # pixels of type
_SAME = 0.06  # of a colour's range
_WHITE = color3.RGBA(1.0, 1.0, 1.0, 1.0)
_BLACK = color3.RGBA(0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Look:
    """How an element's text looks. A colour is None where it cannot be told: a picture, rules of another file."""

    visible: bool = True
    sized: bool = True
    colour: color3.RGBA | None = _BLACK
    ground: color3.RGBA | None = _WHITE

    @property
    def is_seen(self) -> bool:
        """Whether a reader can see the text."""
        return self.visible and self.sized and not self._has_no_contrast()

    def _has_no_contrast(self) -> bool:
        if self.colour is None or self.ground is None:
            return False
        apart = max(abs(one - other) for one, other in zip(self.colour[:3], self.ground[:3], strict=True))
        return bool(self.colour.alpha == 0 or apart <= _SAME)

    def within(self, style: Declarations) -> Look:
        """How an element below looks that declares this itself."""
        if not style:
            return self
        look = self
        if (visibility := style.get("visibility")) is not None and visibility != "inherit":
            look = replace(look, visible=visibility not in ("hidden", "collapse"))
        if (size := _size(style)) is not None:
            look = replace(look, sized=size >= _SMALLEST and (self.sized or not _is_relative(style)))
        return look._coloured(style)

    def _coloured(self, style: Declarations) -> Look:
        look = self
        if (color := style.get("color")) is not None and color != "inherit":
            look = replace(look, colour=parse_colour(color))
        for name in ("background", "background-color", "background-image"):
            if (behind := style.get(name)) is not None:
                look = replace(look, ground=_ground(behind, look.ground))
        if style.get("position") in ("absolute", "fixed") or style.get("text-shadow", "none") != "none":
            look = replace(look, ground=None)  # it may lie upon anything; a shadow shows what has no contrast
        return look


def is_out_of_sight(style: Declarations) -> bool:
    """Whether an element and all that is below it cannot be seen, whatever those declare."""
    if not style:
        return False
    if style.get("display") == "none" or style.get("content-visibility") == "hidden" or _is_off_the_page(style):
        return True
    comes_in = any(style.get(name, "none") != "none" for name in ("animation", "animation-name"))
    return not comes_in and (_number(style.get("opacity")) == 0 or _is_nothing_left(style))


def shows_nothing(style: Declarations) -> bool:
    """Whether these declarations hide something by themselves."""
    return is_out_of_sight(style) or not Look().within(style).is_seen


def parse_colour(color: str | None) -> color3.RGBA | None:
    """None where the text is no plain colour."""
    parsed = color3.parse_color(color) if color else None
    return parsed if isinstance(parsed, color3.RGBA) else None


def _ground(behind: str, before: color3.RGBA | None) -> color3.RGBA | None:
    """The ground that a background paints: a picture's cannot be told, a transparent one is that of before."""
    tokens = list(_tokens(behind))
    if any(token.type == "url" or (token.type == "function" and not _is_colour(token)) for token in tokens):
        return None
    colours = [found for token in tokens if isinstance(found := color3.parse_color(token), color3.RGBA)]
    if not colours or colours[-1].alpha == 0:
        return before
    return colours[-1] if colours[-1].alpha == 1 else None


def _is_colour(function: Any) -> bool:
    return function.lower_name in ("rgb", "rgba", "hsl", "hsla")


def _is_off_the_page(style: Declarations) -> bool:
    if any((_length(style.get(name)) or 0.0) <= -_FAR for name in ("text-indent", "margin-left", "margin-top")):
        return True
    if style.get("position", "static") == "static":
        return False
    if any((_length(style.get(name)) or 0.0) >= _FAR_RIGHT for name in ("left", "top")):
        return True
    offsets = [style.get(name) for name in ("left", "top", "right", "bottom", "inset")]
    return any((_length(one) or 0.0) <= -_FAR for one in offsets)


def _is_nothing_left(style: Declarations) -> bool:
    return _is_clipped(style) or _is_scaled_away(style) or _has_no_room(style)


def _is_clipped(style: Declarations) -> bool:
    for function in _functions(style.get("clip")):
        edges = [_token_length(token) for token in function.arguments if _is_number(token)]
        if function.lower_name == "rect" and len(edges) == 4 and (edges[0] == edges[2] or edges[1] == edges[3]):
            return True
    for function in _functions(style.get("clip-path")):
        first = next((token for token in function.arguments if _is_number(token)), None)
        if first is None:
            continue
        if function.lower_name == "inset" and first.type == "percentage" and first.value >= 50:
            return True
        if function.lower_name == "circle" and first.value == 0:
            return True
    return False


def _is_scaled_away(style: Declarations) -> bool:
    if _number(style.get("scale")) == 0:
        return True
    for function in _functions(style.get("transform")):
        figures = [_token_length(token) for token in function.arguments if _is_number(token)]
        if function.lower_name.startswith("scale") and 0 in figures[:2]:
            return True
        if function.lower_name.startswith("translate") and any(one <= -_FAR for one in figures):
            return True
    return False


def _has_no_room(style: Declarations) -> bool:
    if style.get("overflow") not in ("hidden", "clip"):
        return False
    sizes = [_length(style.get(name)) for name in ("height", "width")]
    return any(size is not None and size <= 1 for size in sizes)


def _size(style: Declarations) -> float | None:
    """Pixels of type, near enough to tell what cannot be read; None where nothing is said of it."""
    given = style.get("font-size") or style.get("font")
    token = next((token for token in _tokens(given or "") if _is_number(token) and token.type != "number"), None)
    if token is None:
        return 0.0 if any(_is_number(token) and token.value == 0 for token in _tokens(given or "")) else None
    return float(token.value) * _PERCENT if token.type == "percentage" else _token_length(token)


def _is_relative(style: Declarations) -> bool:
    given = style.get("font-size") or style.get("font") or ""
    units = [token.lower_unit for token in _tokens(given) if token.type == "dimension"]
    return "%" in given or "em" in units or "ex" in units


def _number(value: str | None) -> float | None:
    """The figure of a share or factor; None where it is none."""
    token = next(_tokens(value), None) if value else None
    return float(token.value) if token is not None and _is_number(token) else None


def _length(value: str | None) -> float | None:
    """Pixels; None for shares of what is not known, such as the window's width."""
    token = next(_tokens(value), None) if value else None
    return _token_length(token) if token is not None and _is_number(token) and token.type != "percentage" else None


def _token_length(token: Any) -> float:
    return float(token.value) * (_PIXELS.get(token.lower_unit, _OF_THE_WINDOW) if token.type == "dimension" else 1.0)


def _is_number(token: Any) -> bool:
    return token.type in ("number", "dimension", "percentage")


def _functions(value: str | None) -> Iterator[Any]:
    return (token for token in _tokens(value or "") if token.type == "function")


def _tokens(value: str) -> Iterator[Any]:
    for token in tinycss2.parse_component_value_list(value, skip_comments=True):
        if token.type != "whitespace":
            yield token
