"""What a command line names becomes files with keys; what is no file is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillnet_cli.files import files_to_ingest
from skillnet_common.errors import ErrorCode, SkillnetError


def code_of(*arguments: str) -> ErrorCode:
    with pytest.raises(SkillnetError) as caught:
        files_to_ingest(arguments, None)
    return caught.value.code


def test_folders_are_walked_hidden_files_left_out_and_each_file_taken_once(tmp_path: Path) -> None:
    for name in ("b.md", "sub dir/ñ.txt", ".oculto", ".git/config"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    found = files_to_ingest([str(tmp_path), str(tmp_path / "b.md"), str(tmp_path / "*.md")], tmp_path)
    assert [file.key for file in found] == ["b.md", "sub dir/ñ.txt"]


def test_without_a_root_the_key_is_the_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    (file,) = files_to_ingest([str(tmp_path / "a.md")], None)
    assert file.key == (tmp_path / "a.md").resolve().as_posix()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert code_of(str(tmp_path / "pipe")) is ErrorCode.INVALID_REQUEST
    assert code_of("/dev/zero") is ErrorCode.INVALID_REQUEST
    assert code_of("  ") is ErrorCode.INVALID_REQUEST
    assert code_of(str(tmp_path / "nothing*")) is ErrorCode.NOT_FOUND
