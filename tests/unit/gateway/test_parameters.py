"""Names, lists and metadata of uploads."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from skillnet_gateway.parameters import UploadParameters, file_name_of, parse_metadata


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.md", "a.md"), ("x/y/a.md", "a.md"), (r"C:\x\a b.md", "a b.md"), ("../../etc/passwd", "passwd")],
)
def test_a_file_is_called_by_the_last_part_of_its_path(path: str, name: str) -> None:
    assert file_name_of(path) == name


def test_lists_differ_between_left_out_and_empty() -> None:
    assert UploadParameters(filename="a").course_id is None
    assert UploadParameters(filename="a", course_id=[""]).course_id == []
    assert UploadParameters(filename="a", course_id=["c"]).course_id == ["c"]
    assert UploadParameters(filename="a").audience is None
    assert UploadParameters(filename="a", audience=[""]).audience == []
    with pytest.raises(ValidationError):
        UploadParameters(filename="a", audience=["g", ""])


def test_metadata_is_an_object() -> None:
    assert UploadParameters(filename="a").metadata_object() is None
    assert UploadParameters(filename="a", metadata='{"a": [1, {"b": null}]}').metadata_object() == {
        "a": [1, {"b": None}]
    }


@pytest.mark.parametrize("text", ["", "[]", "null", "1", '{"a": Infinity}', '{"a": "\\u0000"}', "{" * 5000])
def test_metadata_of_another_form(text: str) -> None:
    with pytest.raises(ValueError, match=r"must|numbers|text"):
        parse_metadata(text)
