"""The container of weights: read exactly, refused when damaged."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.bundle import Bundle

HIDDEN, VOCABULARY = 32, 4
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "ñ"]
NIBBLES = np.arange(VOCABULARY * HIDDEN, dtype=np.uint8).reshape(VOCABULARY, HIDDEN) % 16
SCALES = np.array([0.5, 1.0, 2.0, 0.25], np.float16)
NORM = np.linspace(-1, 1, HIDDEN, dtype=np.float32)


def header(magic: bytes = b"E5S1", version: int = 1, block: int = 32, hidden: int = HIDDEN) -> bytes:
    sizes = (hidden, 1, 2, 64, VOCABULARY, 16, 2)
    return magic + struct.pack("<I7ifi", version, *sizes, 1e-12, block)


def vocabulary(offsets: list[int] | None = None, special: tuple[int, ...] = (0, 2, 1, 3)) -> bytes:
    encoded = [piece.encode() for piece in PIECES]
    bounds = offsets or np.cumsum([0, *map(len, encoded)]).tolist()
    blob = b"".join(encoded)
    scores = [0.0, 0.0, 0.0, 0.0, -2.5]
    head = struct.pack("<5iQ", len(PIECES), *special, len(blob))
    return head + struct.pack(f"<{len(bounds)}I", *bounds) + struct.pack("<5f", *scores) + blob


def normaliser() -> bytes:
    return struct.pack("<iI", 2, 30) + struct.pack("<IBI", 0xA0, 1, 0x20) + struct.pack("<IB", 0xAD, 0)


def tensors(word_size: int = VOCABULARY * 18, word_dtype: int = 1) -> bytes:
    packed = NIBBLES[:, :16] | (NIBBLES[:, 16:] << 4)
    word = b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(SCALES, packed, strict=True))
    norm = NORM.tobytes()
    before = len(header() + vocabulary() + normaliser())
    directory_size = 4 + sum(2 + len(name) + 21 for name in ("emb.word", "emb.ln.w"))
    word_offset = -(-(before + directory_size) // 64) * 64
    norm_offset = -(-(word_offset + len(word)) // 64) * 64
    entries = [
        ("emb.word", word_dtype, VOCABULARY * HIDDEN, word_offset, word_size),
        ("emb.ln.w", 0, HIDDEN, norm_offset, len(norm)),
    ]
    directory = struct.pack("<i", len(entries))
    for name, dtype, count, offset, size in entries:
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", dtype, count, offset, size)
    data = bytes(word_offset - before - len(directory)) + word
    return directory + data + bytes(norm_offset - word_offset - len(word)) + norm


WHOLE = header() + vocabulary() + normaliser() + tensors()


def opened(folder: Path, content: bytes) -> Bundle:
    file = folder / "model.bin"
    file.write_bytes(content)
    return Bundle(file)


def test_everything_is_read_exactly(tmp_path: Path) -> None:
    bundle = opened(tmp_path, WHOLE)
    assert (bundle.architecture.hidden, bundle.architecture.heads, bundle.architecture.positions) == (32, 2, 16)
    assert bundle.vocabulary.pieces == tuple(PIECES)
    assert bundle.vocabulary.scores[4] == -2.5
    assert (bundle.vocabulary.bos, bundle.vocabulary.eos, bundle.vocabulary.pad) == (0, 2, 1)
    expected = (NIBBLES.astype(np.float32) - 8) * SCALES.astype(np.float32)[:, None]
    assert np.array_equal(bundle.float32("emb.word", VOCABULARY, HIDDEN), expected)
    assert np.array_equal(bundle.float32("emb.ln.w", HIDDEN), NORM)
    slices = list(bundle.float32_rows("emb.word", VOCABULARY, HIDDEN, step=3))
    assert [len(rows) for rows in slices] == [3, 1]
    assert np.array_equal(np.concatenate(slices), expected)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (header(magic=b"GGUF"), "not an E5S1"),
        (header(version=2), "version"),
        (header(block=64), "make no sense"),
        (header(hidden=-1), "make no sense"),
        (header() + vocabulary(offsets=[0, 3, 1, 12, 17, 19]), "out of order"),
        (header() + vocabulary(offsets=[0, 3, 8, 12, 17, 9999]), "out of order"),
        (header() + vocabulary(offsets=[0, 3, 8, 12, 18, 19]), "not UTF-8"),
        (header() + vocabulary(special=(0, 2, 1, 99)), "special token"),
        (header() + struct.pack("<5iQ", 2**31 - 1, 0, 2, 1, 3, 10), "number of pieces"),
        (header() + vocabulary() + normaliser() + tensors(word_size=17), "passes the end"),
        (header() + vocabulary() + normaliser() + tensors(word_dtype=9), "unknown layout"),
    ],
)
def test_nonsense_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(PermanentFault, match=why) as raised:
        opened(tmp_path, content)
    assert raised.value.code is ErrorCode.MISCONFIGURED


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    for length in range(len(WHOLE)):
        with pytest.raises(PermanentFault):
            opened(tmp_path, WHOLE[:length])


def test_a_tensor_must_have_the_expected_shape(tmp_path: Path) -> None:
    bundle = opened(tmp_path, WHOLE)
    with pytest.raises(PermanentFault, match="32 values"):
        bundle.float32("emb.ln.w", 33)
    with pytest.raises(PermanentFault, match="missing"):
        bundle.float32("emb.ln.b", 32)
    with pytest.raises(PermanentFault, match="no 4-bit matrix"):
        next(bundle.float32_rows("emb.ln.w", 1, 32))
