"""The object store keeps what was streamed whole, or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault, RequestError
from skillnet_common.objects import Originals


async def body(*pieces: bytes, fault: Exception | None = None) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
    if fault is not None:
        raise fault


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "con espacios y ñ"


@pytest.fixture
def originals(folder: Path) -> Originals:
    return Originals(folder.as_uri())


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_stream_is_kept_and_hashed(originals: Originals, tmp_path: Path) -> None:
    pieces = [bytes([number]) * 3_000_000 for number in range(4)]
    stored = await originals.write(uuid4(), body(*pieces), max_bytes=12_000_000)
    assert stored.size == 12_000_000
    assert stored.sha256 == hashlib.sha256(b"".join(pieces)).digest()
    await originals.read_to(stored.key, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"".join(pieces)


async def test_nothing_is_left_of_a_body_over_the_limit(originals: Originals, folder: Path) -> None:
    with pytest.raises(RequestError) as caught:
        await originals.write(uuid4(), body(b"x" * 600, b"x" * 600), max_bytes=1000)
    assert caught.value.code is ErrorCode.PAYLOAD_TOO_LARGE
    assert files(folder) == []


async def test_nothing_is_left_of_a_broken_stream(originals: Originals, folder: Path) -> None:
    with pytest.raises(ConnectionResetError):
        await originals.write(uuid4(), body(b"x" * 6_000_000, fault=ConnectionResetError()), max_bytes=10**9)
    assert files(folder) == []


async def test_a_missing_original_is_a_permanent_fault(originals: Originals, tmp_path: Path) -> None:
    stored = await originals.write(uuid4(), body(b"hola"), max_bytes=10)
    await originals.delete(stored.key)
    await originals.delete(stored.key)
    with pytest.raises(PermanentFault) as caught:
        await originals.read_to(stored.key, tmp_path / "copy")
    assert caught.value.code is ErrorCode.ORIGINAL_MISSING


async def test_faults_of_the_store_are_passing(originals: Originals, folder: Path, tmp_path: Path) -> None:
    stored = await originals.write(uuid4(), body(b"hola"), max_bytes=10)
    (file,) = files(folder)
    file.unlink()
    file.parent.rmdir()
    file.parent.touch()  # a file where the store's folder was
    for attempt in (partial(originals.read_to, target=tmp_path / "copy"), originals.open, originals.delete):
        with pytest.raises(PassingFault) as caught:
            await attempt(stored.key)
        assert caught.value.code is ErrorCode.UNAVAILABLE
        assert str(tmp_path) not in caught.value.message
        assert caught.value.message.endswith("for the time being.")
