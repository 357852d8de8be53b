"""Deep lists and quotes keep their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillnet_parser.formats.markdown import read_markdown


@pytest.mark.parametrize(
    "deep", ["\n".join("  " * level + f"- nivel{level}x" for level in range(15)), "> " * 30 + "nivel14x"]
)
def test_deep_nesting_keeps_its_text(tmp_path: Path, deep: str) -> None:
    path = tmp_path / "hondo.md"
    path.write_text(deep, encoding="utf-8")
    assert "nivel14x" in " ".join(str(block) for block in read_markdown(path).blocks)
