"""What may stand in the canonical text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_parser.domain.characters import clean_characters, count_unreadable, drop_ornaments


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("cafe\u0301", "café"),
        ("o\ufb01cina \ufb04", "oficina ffl"),
        ("m³, 2.º y ½", "m³, 2.º y ½"),
        ("5\u00a0€ a\u2009b\u3000c", "5 € a b c"),
        ("estable\u00adcimiento", "establecimiento"),
        ("a\u200bb\u2060c\ufeffd", "abcd"),
        ("\u202eoculto\u202c\u2066x\u2069", "ocultox"),
        ("visible\U000e0068\U000e0069", "visible"),
        ("a\x00b\x07c\ud800d", "abcd"),
        ("uno\r\ndos\x0btres\u2028cuatro", "uno\ndos\ntres\ncuatro"),
        ("\uf0b7 punto \uf0a7 \ue123", "• punto • "),
        ("\u0600٣", "\u0600٣"),
    ],
)
def test_characters(raw: str, clean: str) -> None:
    assert clean_characters(raw) == clean


@given(st.text())
def test_clean_text_is_normal_and_cleaning_it_again_changes_nothing(raw: str) -> None:
    clean = clean_characters(raw)
    assert unicodedata.is_normalized("NFC", clean)
    assert clean_characters(clean) == clean
    clean.encode()


@pytest.mark.parametrize(
    ("text", "unreadable"),
    [
        ("texto corriente", 0),
        ("Tema 1 \ufffd\ufffd\ufffd\ufffd 12", 0),  # leaders
        ("\uf0b7 punto", 0),
        ("pa\ufffdabras ro\ufffdas", 2),
        ("\ufffd\ufffd\ufffd \ufffd\ufffd a", 5),
        ("", 0),
    ],
)
def test_glyphs_without_a_meaning_count_where_they_hide_text(text: str, unreadable: int) -> None:
    assert count_unreadable(text) == unreadable


def test_ornaments_go_and_damaged_words_stay() -> None:
    assert drop_ornaments("Tema \ufffd\ufffd 12 pa\ufffdabra") == "Tema   12 pa\ufffdabra"


def test_what_no_text_may_hold_is_dropped_wherever_unicode_leaves_it_unassigned() -> None:
    assert clean_characters("uno\u2064\u2065\u2066dos") == "unodos"
