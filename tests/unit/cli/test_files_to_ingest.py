"""What a command line names becomes files with keys; what is no file is said."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path

import pytest

from skillnet_cli.files import files_to_ingest
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_gateway.archives import open_archive


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


def test_below_a_root_files_have_the_keys_that_an_archive_of_the_folder_gives(tmp_path: Path) -> None:
    folder = tmp_path / "manuales"
    for name in ("devoluciones.md", "Recepción/albarán.txt", ".oculto", unicodedata.normalize("NFD", "año.md")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    packed = Path(shutil.make_archive(str(tmp_path / "manuales"), "zip", folder))
    archive = open_archive(packed, max_files=9, max_file_bytes=9, max_unpacked_bytes=99)
    taken = {entry.path for entry in archive.entries if not entry.ignored}
    archive.close()
    assert {file.key for file in files_to_ingest([str(folder)], folder)} == taken
    assert "año.md" in taken


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
