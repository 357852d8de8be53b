"""Values of cells read as their sheet shows them."""

from __future__ import annotations

import datetime

import pytest

from skillnet_parser.domain.number_formats import show_value

DAY = datetime.datetime(2024, 3, 5)  # noqa: DTZ001  # sheets know no zones
AFTERNOON = datetime.datetime(2024, 3, 5, 14, 7)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.21, "0%", "21%"),
        (0.125, "0.0%", "12.5%"),
        (0.5, "0.00%;[Red]-0.00%", "50.00%"),
        (0.1 + 0.2, "General", "0.3"),
        (5.0, "General", "5"),
        (1234.5, "#,##0.00", "1234.50"),
        (-1234.5, "#,##0.00", "-1234.50"),
        (1234.5, '#,##0.00\\ "€"', "1234.50 €"),
        (1234.5, "#,##0.00\\ [$€-C0A]", "1234.50 €"),
        (3, '0 "días"', "3 días"),
        (41, "00000", "00041"),
        (12345.678, "0", "12346"),
        (0.00001, "0.00E+00", "1e-05"),
        (0.5, "# ?/?", "0.5"),
        (True, "General", "TRUE"),
        ("0041", "@", "0041"),
        (None, "General", ""),
    ],
)
def test_numbers(value: object, code: str, shown: str) -> None:
    assert show_value(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (DAY, "dd/mm/yyyy", "05/03/2024"),
        (DAY, "[$-C0A]d/m/yyyy;@", "5/3/2024"),
        (DAY, "yyyy\\-mm\\-dd", "2024-03-05"),
        (AFTERNOON, "dd/mm/yyyy hh:mm", "05/03/2024 14:07"),
        (AFTERNOON, "d/m/yyyy h:mm AM/PM", "5/3/2024 2:07 PM"),
        (AFTERNOON, "m/d/yy h:mm", "2024-03-05 14:07"),
        (DAY, "mm-dd-yy", "2024-03-05"),
        (DAY, "d-mmm-yy", "2024-03-05"),
        (DAY, 'd "de" mm "de" yyyy', "2024-03-05"),
        (datetime.time(9, 5), "h:mm", "09:05"),
        (datetime.timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
    ],
)
def test_dates_and_times(value: object, code: str, shown: str) -> None:
    assert show_value(value, code) == shown
