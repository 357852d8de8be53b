"""Which data of character recognition a machine has."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillnet_parser.limits import OcrLimits, ParseLimits
from skillnet_parser.ocr import find_tessdata
from skillnet_parser.settings import ParserSettings


@pytest.mark.parametrize(
    ("present", "wanted", "found"),
    [
        ("spa eng", "spa+eng", "spa+eng"),
        ("spa", "spa+eng", "spa"),
        ("spa cat eng", "spa+cat", "spa+cat"),
        ("eng", "spa+eng", None),  # Spanish would lose its accents
        ("", "spa+eng", None),
    ],
)
def test_the_first_language_is_needed_and_the_others_help(
    tmp_path: Path, present: str, wanted: str, found: str | None
) -> None:
    for language in present.split():
        (tmp_path / f"{language}.traineddata").touch()
    assert find_tessdata(tmp_path, wanted) == ((tmp_path, found) if found else None)


def test_the_prefix_may_be_the_folder_above(tmp_path: Path) -> None:
    folder = tmp_path / "tessdata"
    folder.mkdir()
    (folder / "spa.traineddata").touch()
    assert find_tessdata(tmp_path, "spa+eng") == (folder, "spa")


def test_settings_look_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cat.traineddata").touch()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    monkeypatch.setenv("PARSE_OCR_LANGUAGES", "cat+spa")
    monkeypatch.setenv("PARSE_OCR_MAX_PAGES", "7")
    limits = ParserSettings().limits()
    assert limits.ocr == OcrLimits(str(tmp_path), "cat", max_pages=7)
    assert limits.patience > ParseLimits().patience
    monkeypatch.setenv("PARSE_OCR_MAX_PAGES", "0")
    assert ParserSettings().limits().ocr is None
