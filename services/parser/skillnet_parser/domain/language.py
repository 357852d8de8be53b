"""The language a document is written in."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from skillnet_common.documents import ParsedDocument

DEFAULT_LANGUAGE = "es"
CANDIDATES = ("es", "en", "ca", "gl", "eu", "pt", "fr")
MIN_CHARS = 200
_SAMPLE_CHARS = 20_000


def with_language(document: ParsedDocument) -> ParsedDocument:
    """The document with the language of its text."""
    return replace(document, language=detect_language(document.text))


def detect_language(text: str) -> str:
    """ISO 639-1 code, one of `CANDIDATES`; Spanish where the text is under 200 characters.

    Naive Bayes over byte n-grams (Lui and Baldwin 2012, langid.py); on short texts it is not reliable.
    The first call loads the model: 0.4 s and 110 MB, once a process.
    """
    if len(text) < MIN_CHARS:
        return DEFAULT_LANGUAGE
    middle = max(0, (len(text) - _SAMPLE_CHARS) // 2)
    code, _ = _identifier().classify(text[middle : middle + _SAMPLE_CHARS])
    return str(code)


@functools.cache
def _identifier() -> Any:
    from py3langid import langid  # noqa: PLC0415 - half a second, needed by longer texts only

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
    identifier.set_languages(list(CANDIDATES))
    return identifier
