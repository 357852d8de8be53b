"""What strangers' archives may hold."""

from __future__ import annotations

import io
import stat
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from skillnet_common.errors import RequestError
from skillnet_gateway.archives import Archive, open_archive

MIB = 1 << 20


def opened(tmp_path: Path, content: bytes, **limits: int) -> Archive:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    return open_archive(path, **{"max_files": 100, "max_file_bytes": MIB, "max_unpacked_bytes": 10 * MIB, **limits})


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return buffer.getvalue()


async def unpacked(archive: Archive) -> dict[str, bytes]:
    return {
        entry.path: b"".join([piece async for piece in archive.pieces(entry)])
        for entry in archive.entries
        if entry.fault is None
    }


async def test_files_come_in_the_archives_order_without_folders(tmp_path: Path) -> None:
    archive = opened(tmp_path, zipped(("b/", b""), ("b/uno.md", b"1" * 300_000), ("año/dos.md", b"2")))
    assert await unpacked(archive) == {"b/uno.md": b"1" * 300_000, "año/dos.md": b"2"}
    archive.close()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("/etc/passwd", "unsafe_archive"),
        ("../arriba.md", "unsafe_archive"),
        ("a/../../b.md", "unsafe_archive"),
        ("a/./b.md", "unsafe_archive"),
        ("a//b.md", "unsafe_archive"),
        ("C:/b.md", "unsafe_archive"),
        ("..\\b.md", "unsafe_archive"),
        ("\\\\servidor\\b.md", "unsafe_archive"),
        ("a\nb.md", "invalid_request"),
        ("a\x01b.md", "invalid_request"),
        ("x" * 1_001, "invalid_request"),
        (" a.md", "invalid_request"),
    ],
)
def test_a_path_that_leaves_the_archive_or_is_no_key(tmp_path: Path, name: str, code: str) -> None:
    archive = opened(tmp_path, zipped((name, b"x"), ("bien.md", b"x")))
    bad, good = archive.entries
    archive.close()
    assert bad.fault is not None
    assert (bad.fault.code, good.fault) == (code, None)


def test_links_and_doubles_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("enlace.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = zipped((link, b"/etc/passwd"), ("a.md", b"1"), ("a.md", b"2"))
    archive = opened(tmp_path, content)
    archive.close()
    faults = [entry.fault.code if entry.fault else None for entry in archive.entries]
    assert faults == ["unsafe_archive", None, "invalid_request"]


@pytest.mark.parametrize("name", ["__MACOSX/._a.md", ".git/config", "a/.DS_Store", "a/Thumbs.db", "desktop.ini"])
def test_what_systems_add_is_ignored(tmp_path: Path, name: str) -> None:
    archive = opened(tmp_path, zipped((name, b"x")))
    archive.close()
    assert [entry.ignored for entry in archive.entries] == [True]


async def test_names_in_utf8_that_do_not_say_so(tmp_path: Path) -> None:
    """As macOS writes them: UTF-8, decomposed, without the flag."""
    content = zipped(("an~o.md", b"x")).replace(b"an~o.md", "año".encode() + b".md")
    archive = opened(tmp_path, content)
    archive.close()
    assert [entry.path for entry in archive.entries] == ["año.md"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_bound_are_refused(tmp_path: Path, method: int) -> None:
    archive = opened(tmp_path, zipped(("bomba.md", b"\0" * (MIB // 2)), method=method))
    archive.close()
    assert archive.entries[0].fault is not None
    assert archive.entries[0].fault.code == "unsupported_type"


def test_a_bomb_is_refused_by_its_list(tmp_path: Path) -> None:
    bomb = zipped(("a.md", b"\0" * 20 * MIB), ("b.md", b"\0" * 20 * MIB))
    assert len(bomb) < MIB / 10
    with pytest.raises(RequestError) as error:
        opened(tmp_path, bomb)
    assert (error.value.code, error.value.details) == ("payload_too_large", {"max_bytes": 10 * MIB})
    archive = opened(tmp_path, bomb, max_unpacked_bytes=100 * MIB)
    archive.close()
    assert [entry.fault.code for entry in archive.entries if entry.fault] == ["payload_too_large"] * 2


async def test_a_bomb_that_lies_about_its_size_is_cut_and_found_damaged(tmp_path: Path) -> None:
    content = bytearray(zipped(("a.md", b"\0" * 20 * MIB)))
    for place in (content.index(b"PK\x01\x02") + 24, 22):
        content[place : place + 4] = struct.pack("<I", 1_000)
    archive = opened(tmp_path, bytes(content))
    seen: list[bytes] = []

    async def read() -> None:
        async for piece in archive.pieces(archive.entries[0]):
            seen.append(piece)

    with pytest.raises(RequestError) as error:
        await read()
    archive.close()
    assert error.value.code == "corrupt_file"
    assert len(b"".join(seen)) <= 1_000


def test_a_list_of_millions_is_refused_before_it_is_in_memory(tmp_path: Path) -> None:
    header = b"PK\x01\x02" + b"\0" * 42
    count = 500_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65_535, 65_535, count * len(header), 0, 0)
    path = tmp_path / "a.zip"
    path.write_bytes(header * count + end)
    tracemalloc.start()
    with pytest.raises(RequestError) as error:
        open_archive(path, max_files=100, max_file_bytes=MIB, max_unpacked_bytes=MIB)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.value.code == "payload_too_large"
    assert peak < 2 * MIB


def test_too_many_files(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as error:
        opened(tmp_path, zipped(*((f"{n}.md", b"x") for n in range(4))), max_files=3)
    assert (error.value.code, error.value.details) == ("payload_too_large", {"max_files": 3})


@pytest.mark.parametrize("content", [b"x", b"PK\x05\x06", b"%PDF-1.7", None])
def test_no_archive(tmp_path: Path, content: bytes | None) -> None:
    """The last one is an archive without its end."""
    with pytest.raises(RequestError) as error:
        opened(tmp_path, content or zipped(("a.md", b"x"))[:-30])
    assert error.value.code == "unsupported_type"


async def test_damaged_content(tmp_path: Path) -> None:
    content = bytearray(zipped(("a.md", bytes(range(256)) * 10), method=zipfile.ZIP_STORED))
    content[100] ^= 1
    archive = opened(tmp_path, bytes(content))
    with pytest.raises(RequestError) as error:
        await unpacked(archive)
    archive.close()
    assert error.value.code == "corrupt_file"


def test_a_file_that_would_lie_before_the_archive(tmp_path: Path) -> None:
    """A list that claims to begin later than it does moves every file to the front."""
    content = bytearray(zipped(("a.md", b"x")))
    end = content.index(b"PK\x05\x06")
    content[end + 16 : end + 20] = struct.pack("<I", end + 1_000)
    archive = opened(tmp_path, bytes(content))
    archive.close()
    assert archive.entries[0].fault is not None
    assert archive.entries[0].fault.code == "corrupt_file"


def test_a_file_without_a_name(tmp_path: Path) -> None:
    archive = opened(tmp_path, zipped(("zz", b"x")).replace(b"zz", b"\0z"))
    archive.close()
    assert [(entry.path, entry.fault and entry.fault.code) for entry in archive.entries] == [("", "unsafe_archive")]
