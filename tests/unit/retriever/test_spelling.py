"""The words one typing error away from a word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillnet_retriever.domain.spelling import near_words

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def distance(one: str, other: str) -> int:
    """Damerau-Levenshtein, restricted (optimal string alignment), by the textbook's table."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            table[i][j] = min(
                table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            )
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


@settings(max_examples=20)
@given(st.text(LETTERS, min_size=4, max_size=12))
def test_every_word_given_is_one_error_away_and_given_once(word: str) -> None:
    found = near_words(word)
    assert len(set(found)) == len(found)
    assert all(distance(word, near) == 1 for near in found)


@settings(max_examples=50)
@given(st.text(LETTERS, min_size=5, max_size=12), st.data())
def test_no_word_one_error_away_is_left_out(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 2))
    letter = data.draw(st.sampled_from(LETTERS))
    edited = data.draw(
        st.sampled_from(
            [
                word[:place] + word[place + 1 :],
                word[:place] + letter + word[place:],
                word[:place] + letter + word[place + 1 :],
                word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            ]
        )
    )
    if edited != word and near_words(edited):
        assert word in near_words(edited)


@pytest.mark.parametrize(
    "word", ["iso9001", "2041", "ref-2041", "sol", "cuanto", "quantos", "which", "a" * 31, "плата"]
)
def test_codes_figures_short_and_common_words_have_none(word: str) -> None:
    assert near_words(word) == []


def test_accents_are_folded() -> None:
    assert "disposicion" in near_words("dispocición")
