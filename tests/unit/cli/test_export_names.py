"""Names of exported originals, and values typed as metadata."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from skillnet_cli.document_options import read_instant, read_metadata
from skillnet_cli.exporting.export import original_name

ID = UUID(int=1)


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("a.pdf", "a.pdf"),
        ("../../etc/passwd", "passwd"),
        ("c:\\carpeta\\a.pdf", "a.pdf"),
        ("..", "original"),
        ("", "original"),
        ("manifest.json", "original"),
        ("ñ" * 300 + ".pdf", "ñ" * 98 + ".pdf"),
        ("x" * 300, "x" * 200),
    ],
)
def test_an_original_keeps_its_name_as_far_as_disks_take_it(file_name: str, name: str) -> None:
    assert original_name(ID, file_name) == f"originals/{ID}/{name}"


@given(st.text(max_size=400))
def test_no_name_leaves_its_folder(file_name: str) -> None:
    folder, document, name = original_name(ID, file_name).split("/")
    assert (folder, document) == ("originals", str(ID))
    assert name not in {"", ".", ".."}
    assert "\0" not in name
    assert len(name.encode("utf-8", errors="surrogatepass")) <= 200


@pytest.mark.parametrize(
    ("pairs", "metadata"),
    [
        (None, None),
        ([], None),
        (["a=1", "b=1.5", "c=true", "d=x", 'e="1"', "f=", "g=a=b", "h=[1]", "i=null"],
         {"a": 1, "b": 1.5, "c": True, "d": "x", "e": "1", "f": "", "g": "a=b", "h": "[1]", "i": "null"}),
    ],
)  # fmt: skip
def test_values_of_metadata(pairs: list[str] | None, metadata: dict[str, Any] | None) -> None:
    assert read_metadata(pairs) == metadata


@pytest.mark.parametrize("pair", ["a", "=1", ""])
def test_metadata_without_form(pair: str) -> None:
    with pytest.raises(typer.BadParameter):
        read_metadata([pair])


def test_instants_are_in_utc_unless_they_say_otherwise() -> None:
    assert read_instant("2027-03-01") == datetime(2027, 3, 1, tzinfo=UTC)
    assert read_instant("2027-03-01T08:30:00+02:00") == datetime(2027, 3, 1, 6, 30, tzinfo=UTC)
    with pytest.raises(typer.BadParameter):
        read_instant("mañana")
