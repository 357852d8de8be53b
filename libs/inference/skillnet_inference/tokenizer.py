"""Token counting and encoding. Imports neither onnxruntime nor onnx, so that a chunker stays small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from skillnet_common.errors import ErrorCode, PermanentFault

SENTENCEPIECE_FILE = "sentencepiece.model"
TOKENIZER_JSON_FILE = "tokenizer.json"

Span = tuple[int, int]
"""[start, end) in characters of the text."""

_OUT_OF_REACH = "\x00"
_ZERO_WIDTH_JOINER = "\u200d"


class Tokenizer(Protocol):
    """A model's tokenizer. A text is the final string, with its prefix; special tokens are added and counted.

    White space around the text does not count: it never becomes a token. What looks like a special token in the
    text (`<s>`, `</s>`, `<pad>`, `<unk>`, `<mask>`) is ordinary text.
    """

    @property
    def special_tokens(self) -> int:
        """How many special tokens are added to a text."""
        ...

    def count(self, text: str) -> int:
        """Tokens of the text, special tokens included."""
        ...

    def encode(self, text: str) -> list[int]:
        """Token ids of the text, special tokens included."""
        ...

    def offsets(self, text: str) -> list[Span]:
        """The characters that each token stands for, special tokens left out; ascending, possibly empty spans."""
        ...


class SentencePieceTokenizer:
    """A unigram model of SentencePiece, such as XLM-R's. Thread-safe."""

    def __init__(self, model_file: Path) -> None:
        import sentencepiece  # noqa: PLC0415 - only this kind of tokenizer needs it

        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_file=str(model_file))
        except (OSError, RuntimeError) as error:
            raise _unreadable(model_file) from error

    @property
    def special_tokens(self) -> int:
        """How many special tokens are added to a text."""
        return 2

    def count(self, text: str) -> int:
        """Tokens of the text, special tokens included."""
        return len(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """Token ids of the text, special tokens included."""
        ids: list[int] = self._processor.encode(_readable(text), add_bos=True, add_eos=True)
        return ids

    def offsets(self, text: str) -> list[Span]:
        """The characters that each token stands for."""
        encoded = self._processor.encode(_readable(text), out_type="immutable_proto")
        return [(piece.begin, piece.end) for piece in encoded.pieces]


class JsonTokenizer:
    """Any tokenizer of the library `tokenizers`, read from its tokenizer.json. Thread-safe."""

    def __init__(self, file: Path) -> None:
        import tokenizers  # noqa: PLC0415 - only this kind of tokenizer needs it

        try:
            document = with_special_tokens_out_of_reach(json.loads(file.read_text("utf-8")))
            self._tokenizer = tokenizers.Tokenizer.from_str(json.dumps(document))
        except Exception as error:  # the library raises bare Exception for what it cannot read
            raise _unreadable(file) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True

    @property
    def special_tokens(self) -> int:
        """How many special tokens are added to a text."""
        return int(self._tokenizer.num_special_tokens_to_add(is_pair=False))

    def count(self, text: str) -> int:
        """Tokens of the text, special tokens included."""
        return len(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """Token ids of the text, special tokens included."""
        ids: list[int] = self._tokenizer.encode(_well_formed(text).strip()).ids
        return ids

    def offsets(self, text: str) -> list[Span]:
        """The characters that each token stands for."""
        stripped = _well_formed(text).strip()
        lead = text.index(stripped)
        encoded = self._tokenizer.encode(stripped, add_special_tokens=False)
        return [(start + lead, end + lead) for start, end in encoded.offsets]


def open_tokenizer_file(file: Path) -> Tokenizer:
    """The tokenizer in the file, by the file's name. Raises PermanentFault where it cannot be read."""
    if file.name == SENTENCEPIECE_FILE:
        return SentencePieceTokenizer(file)
    return JsonTokenizer(file)


def cut_to_window(tokenizer: Tokenizer, text: str, prefix: str, window: int) -> tuple[str, bool]:
    """The longest beginning of the text that fits the window behind the prefix, and whether it was cut.

    It ends at a token's end. A cut string may be tokenised differently at its end, hence the check in a loop.
    """
    if tokenizer.count(prefix + text) <= window:
        return text, False
    spans = tokenizer.offsets(prefix + text)
    keep = window - tokenizer.special_tokens
    while keep > 0:
        cut = text[: max(spans[keep - 1][1] - len(prefix), 0)].rstrip()
        if tokenizer.count(prefix + cut) <= window:
            return cut, True
        keep -= 1
    raise PermanentFault(
        ErrorCode.MISCONFIGURED, f"The prefix {prefix!r} alone does not fit the model's window of {window} tokens."
    )


def with_special_tokens_out_of_reach(document: dict[str, Any]) -> dict[str, Any]:
    """The same tokenizer.json, in which no text can spell a special token.

    A unigram model holds its special tokens as ordinary pieces of score 0, the best there is, so "<s>" in a user's
    text would become the id that begins a sequence. Here they keep their ids under a name that no normalised text
    contains. Other kinds of model match special tokens through `added_tokens` alone, which
    `Tokenizer.encode_special_tokens` switches off.
    """
    model = document["model"]
    if model.get("type") != "Unigram":
        return document
    special = {token["content"] for token in document["added_tokens"] if token["special"]}
    vocabulary = [[_OUT_OF_REACH + piece if piece in special else piece, score] for piece, score in model["vocab"]]
    ordinary = [token for token in document["added_tokens"] if not token["special"]]
    return {**document, "added_tokens": ordinary, "model": {**model, "vocab": vocabulary}}


def _readable(text: str) -> str:
    # XLM-R's rule turns the zero-width joiner into a space, as SentencePiece's later rules no longer do
    return _well_formed(text).replace(_ZERO_WIDTH_JOINER, " ")


def _well_formed(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise PermanentFault(
            ErrorCode.INVALID_REQUEST, "The text holds half of a surrogate pair, which is no character."
        ) from error
    return text


def _unreadable(file: Path) -> PermanentFault:
    return PermanentFault(
        ErrorCode.MISCONFIGURED, f"The tokenizer {file.name} is missing or cannot be read.", file=file.name
    )
