"""Values of cells as a sheet shows them, by the codes of their number formats (ECMA-376 part 1, 18.8.30)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

_QUOTED = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|[_*].')
_COLOURS_AND_CONDITIONS = re.compile(r"\[[^\]$]*\]")
_DECIMALS = re.compile(r"[0#?](?:\.([0?#]+))?(?=[^0#?]*$)")
_LEADING_ZEROS = re.compile(r"(0+)(?:\.|[^0#?.]*$)")  # of codes, as in 00041
_CURRENCIES = "€$£¥"
_TOKENS = re.compile(r"yyyy|yy|mm|m|dd|d|hh|h|ss|s|am/pm|[^a-z]", re.IGNORECASE)
_MAX_DECIMALS = 15
_SECOND = datetime.timedelta(seconds=1)


def show_value(value: object, code: str) -> str:
    """The text of a cell's value. `code` is its number format.

    Numbers have a decimal point and no separators of thousands, which depend on the reader's country; dates are
    in ISO 8601 where the format depends on it or writes months as words.
    """
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _show_number(value, code)
        case datetime.datetime() | datetime.date() | datetime.time():
            return _show_date(value, code)
        case datetime.timedelta():
            return _show_duration(value)
        case _:
            return str(value)


def _show_number(value: float, code: str) -> str:
    section, value = _section_of(code, value)
    literals: list[str] = []

    def keep_literal(match: re.Match[str]) -> str:
        literals.append(next((group for group in match.groups() if group is not None), ""))
        return "".join(char for char in literals[-1] if char in _CURRENCIES)

    plain = _COLOURS_AND_CONDITIONS.sub("", _QUOTED.sub(keep_literal, section))
    if "%" in plain:
        return f"{value * 100:.{_decimals(plain)}f}%"
    number = _plain_number(value) if not re.search("[0#?]", plain) or "E" in plain.upper() else _fixed(value, plain)
    unit = next((char for char in plain if char in _CURRENCIES), "")
    if unit:
        return f"{number} {unit}"
    words = " ".join(literal.strip() for literal in literals if any(map(str.isalpha, literal)))
    return f"{number} {words}" if words and section.rstrip().endswith(('"', "]")) else number


def _section_of(code: str, value: float) -> tuple[str, float]:
    """Codes have sections for positive numbers, negative ones and zero."""
    sections = code.split(";")
    if value == 0 and len(sections) > 2 and re.search("[0#?]", sections[2]):
        return sections[2], value
    return sections[0], value


def _fixed(value: float, plain: str) -> str:
    if "/" in plain:
        return _plain_number(value)  # a fraction
    decimals = _decimals(plain)
    least = len(match[1]) if (match := _LEADING_ZEROS.search(plain.replace(",", ""))) else 0
    width = least + (decimals + 1 if decimals else 0)
    return ("-" if value < 0 else "") + f"{abs(value):0{width}.{decimals}f}"


def _decimals(plain: str) -> int:
    match = _DECIMALS.search(plain)
    return min(len(match[1] or ""), _MAX_DECIMALS) if match else 0


def _plain_number(value: float) -> str:
    """Fifteen digits, as sheets count: 0.1 + 0.2 is 0.3."""
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def _show_date(value: datetime.datetime | datetime.date | datetime.time, code: str) -> str:
    spelt = _QUOTED.sub(_separator, code.partition(";")[0])
    tokens = _TOKENS.findall(_COLOURS_AND_CONDITIONS.sub("", spelt))
    names = "".join(tokens).lower()
    if isinstance(value, datetime.time):
        return value.isoformat("seconds" if "s" in names or value.second else "minutes")
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)  # noqa: DTZ001  # sheets know no zones
    shown = _by_tokens(value, tokens) if _is_numeric(names, code) else None
    if shown is not None:
        return shown
    whole_day = value.time() == datetime.time()
    return value.date().isoformat() if whole_day else value.isoformat(" ", "minutes")


def _separator(literal: re.Match[str]) -> str:
    """A literal of a date; words stand for a form that is not all digits."""
    text = literal[1] or literal[2] or ""
    return "mmmm" if any(map(str.isalpha, text)) else text


def _is_numeric(names: str, code: str) -> bool:
    """Whether a code spells a whole date in digits; 14 and 22 of the built-in codes are the country's own."""
    country = code.startswith(("mm-dd-yy", "m/d/yy h"))
    return not country and "mmm" not in names and "ddd" not in names and all(char in names for char in "dmyy")


def _by_tokens(value: datetime.datetime, tokens: list[str]) -> str:
    half_day = any(token.lower() == "am/pm" for token in tokens)
    writers: dict[str, Callable[[], str]] = {
        "yyyy": lambda: f"{value.year:04d}",
        "yy": lambda: f"{value.year:04d}",
        "dd": lambda: f"{value.day:02d}",
        "d": lambda: str(value.day),
        "hh": lambda: f"{_hour(value, half_day):02d}",
        "h": lambda: str(_hour(value, half_day)),
        "ss": lambda: f"{value.second:02d}",
        "s": lambda: str(value.second),
        "am/pm": lambda: "AM" if value.hour < 12 else "PM",
    }
    parts: list[str] = []
    for at, raw in enumerate(tokens):
        name = raw.lower()
        if name in ("m", "mm"):
            number = value.minute if _is_minute(tokens, at) else value.month
            parts.append(f"{number:02d}" if len(name) == 2 else str(number))
        else:
            parts.append(writers[name]() if name in writers else raw)
    return "".join(parts).strip()


def _hour(value: datetime.datetime, half_day: bool) -> int:
    return (value.hour - 1) % 12 + 1 if half_day else value.hour


def _is_minute(tokens: list[str], at: int) -> bool:
    """`m` is the minute after hours or before seconds."""
    letters = [(index, token.lower()) for index, token in enumerate(tokens) if token[0].isalpha()]
    place = next(index for index, (where, _) in enumerate(letters) if where == at)
    before = letters[place - 1][1] if place else ""
    after = letters[place + 1][1] if place + 1 < len(letters) else ""
    return before in ("h", "hh") or after in ("s", "ss")


def _show_duration(value: datetime.timedelta) -> str:
    seconds = round(value / _SECOND)
    sign = "-" if seconds < 0 else ""
    hours, rest = divmod(abs(seconds), 3600)
    return f"{sign}{hours}:{rest // 60:02d}" + (f":{rest % 60:02d}" if rest % 60 else "")
