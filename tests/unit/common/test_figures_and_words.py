"""Figures, dates and word roots, however they are written."""

from __future__ import annotations

import pytest

from skillnet_common.text.figures import Date, dates, figure_values, figures
from skillnet_common.text.words import codes, content_roots, fold, root


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1.250,00", "1250"), ("1,250.00", "1250"), ("1250", "1250"), ("12,50", "12.5"), ("12.5", "12.5"),
        ("0,95", ".95"), ("007", "7"), ("0", "0"), ("1.000.000", "1000000"), ("3.14.2", "3.14.2"),
    ],
)  # fmt: skip
def test_figures_have_one_spelling(written: str, value: str) -> None:
    assert [found for _, found in figures(f"vale {written} €")] == [value]


def test_figures_in_words_count_too() -> None:
    assert {"30", "15", "3"} <= figure_values("treinta días, QUINCE horas y tres avisos de 250g")
    assert "250" in figure_values("de 250g")


@pytest.mark.parametrize(
    "written",
    ["15/03/2026", "15-3-26", "2026-03-15", "15 de marzo de 2026", "15 marzo 2026", "March 15th, 2026", "15.03.2026"],
)
def test_dates_have_one_meaning(written: str) -> None:
    assert [date for _, date in dates(f"el {written} se abre")] == [Date(2026, 3, 15)]


def test_dates_without_a_year_agree_with_any() -> None:
    assert Date(0, 3, 15).agrees_with(Date(2026, 3, 15))
    assert not Date(2025, 3, 15).agrees_with(Date(2026, 3, 15))
    assert dates("31/31/2026 y 45 de mayo") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("devolución", "devoluciones"), ("alérgenos", "alergeno"), ("limpia", "limpiar"), ("precio", "precios"),
        ("trabajadora", "trabajadores"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_root(one: str, other: str) -> None:
    assert root(fold(one)) == root(fold(other))


def test_content_words_are_what_a_question_asks_for() -> None:
    assert content_roots("¿Cuál es el precio de la barra PAN-001?") == ["preci", "barr", "pan-001", "pan001"]


@pytest.mark.parametrize("written", ["ISO 9001", "ISO-9001", "iso9001"])
def test_a_code_has_one_spelling(written: str) -> None:
    assert codes(f"según {written}, vigente") == ["iso9001"]
    assert "iso9001" in content_roots(written)


def test_a_code_with_a_suffix_is_known_with_it_and_without() -> None:
    assert codes("el saco REF-2041-B") == ["ref2041", "ref2041b"]
    assert codes("ref 2041") == ["ref2041"]
    assert codes("50 euros en 2026") == []
