"""What the lines of addresses, parties and signatures say, by which two blocks side by side are told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from skillnet_parser.domain.layout import Fragment, Row

_MIN_LINES = 3
_MIN_PARTY_LINES = 2
_LARGER = 1.3  # times the size: a title or a company's name beside small print
_ROOM = 2.5  # times the size: to sign in
_SPACED = 1.3  # times the usual distance of a block's lines
_ADDRESS = (
    re.compile(r"\b\d{4,5}(?:-\d{3})?\s+[A-ZÁÉÍÓÚÑ][a-záéíóúñ]"),
    re.compile(r"\b(?:[CN]\.?I\.?[FE]\b|D\.?N\.?I\b|VAT\b)", re.IGNORECASE),
    re.compile(
        r"\b(?:calle\b|c/|avda|avenida|av\.|plaza|pza|paseo|ctra|carretera|pol[íi]gono|rua\b|street\b|road\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:tel[.:éf]|tfno|phone)", re.IGNORECASE),
    re.compile(r"@[\w.-]+\.\w"),
)
"""Postal code and place, number of a company or person, street, telephone, e-mail."""
_IDENTITY = 1  # which of them
_SIGNATURE = re.compile(r"\b(?:fdo|firmado|firma|assinatura|signed)\b", re.IGNORECASE)
_SIGNER = re.compile(r"(?:(?:por )?(?:el|la|los|las)|por|o|a|the|for)\s+[^\W\d_]", re.IGNORECASE)
_MAX_SIGNER_WORDS = 5
_LABELLED = re.compile(r"(?P<label>[^\W\d_][^:]{1,30}):\s*(?P<value>\S.*)")


def tells_block(line: Fragment) -> bool:
    """Whether a line may be of an address, of a party or a signature."""
    return bool(_kinds(line.text)) or _is_signature(line.text) or names_signer(line)


def names_signer(line: Fragment | Row) -> bool:
    """`EL ARRENDADOR`, `Por la empresa,`: who signs below."""
    text = line.text.strip()
    return (
        _SIGNER.match(text) is not None and len(text.split()) <= _MAX_SIGNER_WORDS and not text.endswith((".", ":"))
    )


def leaves_room_to_sign(line: Fragment | Row, below: Fragment | Row) -> bool:
    """Whether who signs is named above the room to do so, and in the type of the name below it."""
    distance = below.rect.middle - line.rect.middle
    return names_signer(line) and distance > _ROOM * line.style.size and below.style.size == line.style.size


def are_blocks(left: Sequence[Fragment], right: Sequence[Fragment]) -> bool:
    """Whether lines at the left and at the right are read one side after the other."""
    if sum(line.text.rstrip().endswith(":") for line in left) * 2 > len(left):
        return False  # labels before their values
    sides = (left, right)
    if all(any(_is_signature(line.text) for line in side) for side in sides) or all(map(_are_signed, sides)):
        return True
    if all(map(_holds_address, sides)) or all(map(_names_party, sides)):
        return True
    return any(
        _holds_address(one) and _goes_with_address(other, one) for one, other in ((left, right), (right, left))
    )


def without_label_rows(left: Sequence[Fragment], right: Sequence[Fragment]) -> tuple[list[Fragment], list[Fragment]]:
    """The lines of both sides without the rows of labels above and below them (`Número: 12   Fecha: 3/4/2026`)."""
    lefts, rights = list(left), list(right)
    while lefts and rights and _is_label_row(lefts[0], rights[0], spaced=_is_spaced(lefts, 0)):
        del lefts[0], rights[0]
    while lefts and rights and _is_label_row(lefts[-1], rights[-1], spaced=_is_spaced(lefts, -1)):
        del lefts[-1], rights[-1]
    return lefts, rights


def _is_label_row(left: Fragment, right: Fragment, *, spaced: bool) -> bool:
    """Whether two lines at one height are other labels with their values, and set apart or with figures."""
    labelled = [_LABELLED.fullmatch(line.text.strip()) for line in (left, right)]
    if abs(left.rect.middle - right.rect.middle) > 0.5 * left.rect.height or _kinds(left.text) or _kinds(right.text):
        return False
    one, other = labelled
    if one is None or other is None or one["label"].casefold() == other["label"].casefold():
        return False
    return spaced or all(any(char.isdigit() for char in match["value"]) for match in (one, other))


def _is_spaced(lines: Sequence[Fragment], gap: int) -> bool:
    """Whether one of the gaps between lines is wider than usual."""
    gaps = [below.rect.middle - line.rect.middle for line, below in pairwise(lines)]
    return len(gaps) > 1 and gaps[gap] > _SPACED * min(gaps)


def _holds_address(lines: Sequence[Fragment]) -> bool:
    """Whether most lines are of an address, each another part of it: a column of streets is one of a table."""
    kinds = [_kinds(line.text) for line in lines]
    told = sum(map(bool, kinds))
    return len(lines) >= _MIN_LINES and told >= _MIN_LINES - 1 and _differ(kinds)


def _names_party(lines: Sequence[Fragment]) -> bool:
    """Whether a person or company is named with its number."""
    kinds = [_kinds(line.text) for line in lines]
    return len(lines) >= _MIN_PARTY_LINES and any(_IDENTITY in line for line in kinds) and _differ(kinds)


def _differ(kinds: Sequence[Sequence[int]]) -> bool:
    counts = Counter(kind for line in kinds for kind in line)
    return 2 * max(counts.values(), default=0) <= len(kinds)


def _are_signed(lines: Sequence[Fragment]) -> bool:
    return len(lines) > 1 and leaves_room_to_sign(lines[0], lines[1])


def _goes_with_address(lines: Sequence[Fragment], address: Sequence[Fragment]) -> bool:
    """Whether a title beside an address, or labels with their values below it, leave the address whole."""
    titled = lines[0].style.size >= _LARGER * address[-1].style.size
    labelled = lines[1:] if titled or _LABELLED.fullmatch(lines[0].text.strip()) is None else lines
    return (titled or len(labelled) > 1) and all(_LABELLED.fullmatch(line.text.strip()) for line in labelled)


@lru_cache(maxsize=4096)
def _is_signature(text: str) -> bool:
    return _SIGNATURE.search(text) is not None


@lru_cache(maxsize=4096)  # lines of several blocks that are tried
def _kinds(text: str) -> tuple[int, ...]:
    return tuple(number for number, kind in enumerate(_ADDRESS) if kind.search(text))
