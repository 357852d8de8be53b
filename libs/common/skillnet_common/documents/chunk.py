"""A chunk: the passage that is embedded, searched and cited."""

from __future__ import annotations

from dataclasses import dataclass

from skillnet_common.documents.parsed import Box
from skillnet_common.documents.readable_tables import with_readable_rows


def model_text(header: str, body: str) -> str:
    """The text that is embedded, before the model's own prefix: the header, where there is one, above the body, whose
    tables are made readable."""
    readable = with_readable_rows(body)
    return f"{header}\n\n{readable}" if header else readable


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a document version.

    `body` is the text a reader sees; `header` (document title and section path, capped) stands before it
    in the model's input only, see `model_text`. [start, end) is the body's span in the canonical text
    *without* the overlap; the first `overlap_chars` characters of `body` repeat the chunk before and are
    never cited. `token_count` counts the final model input with prefix and special tokens. `boxes` are
    those of the span, one a line. `ocr`: a part of it came by character recognition, which may hold errors.
    """

    index: int
    section_index: int
    section_id: str
    section_path: tuple[str, ...]
    heading: str
    header: str
    body: str
    start: int
    end: int
    overlap_chars: int
    page_start: int | None
    page_end: int | None
    boxes: tuple[Box, ...]
    token_count: int
    kind: str
    language: str
    ocr: bool = False

    @property
    def model_text(self) -> str:
        """The text that is embedded, before the model's own prefix."""
        return model_text(self.header, self.body)
