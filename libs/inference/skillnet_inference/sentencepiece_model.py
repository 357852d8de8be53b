"""XLM-R's tokenizer as a SentencePiece model, written from its pieces and SentencePiece's own normaliser.

SentencePiece keeps 250,002 pieces in 80 MB where `tokenizers` takes 300, and never matches a control symbol in a
text: "<s>" in a user's document stays three ordinary pieces. The message's fields are those of SentencePiece's
`sentencepiece_model.proto`; see https://protobuf.dev/programming-guides/encoding/ for the encoding.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

import sentencepiece

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.bundle import UnigramVocabulary

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
# ModelProto
_PIECES, _TRAINER_SPEC, _NORMALIZER_SPEC = 1, 2, 3
# ModelProto.SentencePiece
_PIECE, _SCORE, _TYPE = 1, 2, 3
_UNKNOWN, _CONTROL = 2, 3
# TrainerSpec
_MODEL_TYPE, _UNK_ID, _BOS_ID, _EOS_ID, _PAD_ID = 3, 40, 41, 42, 43
_UNIGRAM = 1
# NormalizerSpec
_RULE_NAME, _CHARSMAP, _ADD_DUMMY_PREFIX, _REMOVE_EXTRA_WHITESPACES, _ESCAPE_WHITESPACES = 1, 2, 3, 4, 5
_RULE = "nmt_nfkc"


def xlm_roberta_model(vocabulary: UnigramVocabulary) -> bytes:
    """The serialised model; token ids are the positions of the pieces."""
    special = {vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.pieces.index("<mask>")}
    types = dict.fromkeys(special, _CONTROL) | {vocabulary.unk: _UNKNOWN}
    pieces = b"".join(
        _bytes_field(_PIECES, _piece(piece, score, types.get(token)))
        for token, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True))
    )
    trainer = b"".join(
        _varint_field(field, value)
        for field, value in (
            (_MODEL_TYPE, _UNIGRAM),
            (_UNK_ID, vocabulary.unk),
            (_BOS_ID, vocabulary.bos),
            (_EOS_ID, vocabulary.eos),
            (_PAD_ID, vocabulary.pad),
        )
    )
    normalizer = (
        _bytes_field(_RULE_NAME, _RULE.encode())
        + _bytes_field(_CHARSMAP, _compiled_rule())
        + _varint_field(_ADD_DUMMY_PREFIX, 1)
        + _varint_field(_REMOVE_EXTRA_WHITESPACES, 1)
        + _varint_field(_ESCAPE_WHITESPACES, 1)
    )
    return pieces + _bytes_field(_TRAINER_SPEC, trainer) + _bytes_field(_NORMALIZER_SPEC, normalizer)


def _compiled_rule() -> bytes:
    """SentencePiece's built-in normalisation rule, compiled.

    The package offers no call that returns it, but a throw-away model trained on a few letters (10 ms) holds it.
    """
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f g"] * 5),
        model_writer=model,
        vocab_size=12,
        model_type="unigram",
        hard_vocab_limit=False,
        normalization_rule_name=_RULE,
        minloglevel=2,
    )
    return _find_bytes(_find_bytes(model.getvalue(), _NORMALIZER_SPEC), _CHARSMAP)


def _piece(piece: str, score: float, kind: int | None) -> bytes:
    encoded = _bytes_field(_PIECE, piece.encode()) + _tag(_SCORE, _FIXED32) + struct.pack("<f", score)
    return encoded if kind is None else encoded + _varint_field(_TYPE, kind)


def _bytes_field(field: int, value: bytes) -> bytes:
    return _tag(field, _BYTES) + _varint(len(value)) + value


def _varint_field(field: int, value: int) -> bytes:
    return _tag(field, _VARINT) + _varint(value)


def _tag(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _find_bytes(message: bytes, field: int) -> bytes:
    for found, value in _bytes_fields(message):
        if found == field:
            return value
    raise PermanentFault(
        ErrorCode.MISCONFIGURED, f"The installed sentencepiece holds no rule {_RULE}; version 0.2.0 does."
    )


def _bytes_fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of one level that carry bytes."""
    offset = 0
    while offset < len(message):
        tag, offset = _read_varint(message, offset)
        field, wire_type = tag >> 3, tag & 7
        if wire_type == _BYTES:
            size, offset = _read_varint(message, offset)
            yield field, message[offset : offset + size]
            offset += size
        elif wire_type == _VARINT:
            _, offset = _read_varint(message, offset)
        else:
            offset += {_FIXED64: 8, _FIXED32: 4}[wire_type]


def _read_varint(message: bytes, offset: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[offset]
        offset += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, offset
