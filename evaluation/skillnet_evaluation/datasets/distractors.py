"""Texts that answer nothing, added to make the haystack larger."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from skillnet_evaluation.datasets.faults import DatasetError
from skillnet_evaluation.questions import Dataset, SourceDocument

_SHORTEST, _LONGEST = 150, 250
_A_DOCUMENT = 50
"""Passages packed into one upload, each a section of its own: thousands of uploads would take most of the time."""
_SUFFIXES = frozenset({".md", ".txt"})
_NOTHING_TO_READ = re.compile(r"^(```|\||<|---|#|!\[)")


def with_distractors(dataset: Dataset, source: Path, count: int) -> Dataset:
    """The dataset with `count` passages of 150 to 250 words out of the texts (Markdown, plain) below `source`.

    The same texts give the same passages. Raises DatasetError where there are not as many.
    """
    passages = list(islice(_passages(source), count))
    if len(passages) < count:
        raise DatasetError(source, f"gives {len(passages)} passages, not {count}")
    packed = [
        SourceDocument(
            f"distractors-{start // _A_DOCUMENT:04}",
            f"distractors-{start // _A_DOCUMENT:04}.md",
            _document(passages[start : start + _A_DOCUMENT], start).encode(),
            is_distractor=True,
        )
        for start in range(0, count, _A_DOCUMENT)
    ]
    name = f"{dataset.name} among {count} distractors"
    return replace(dataset, name=name, documents=(*dataset.documents, *packed))


def _document(passages: list[str], first: int) -> str:
    return "\n\n".join(f"## {first + number}\n\n{passage}" for number, passage in enumerate(passages))


def _passages(source: Path) -> Iterator[str]:
    files = [source] if source.is_file() else sorted(source.rglob("*"))
    for path in files:
        if path.suffix.lower() in _SUFFIXES and path.is_file():
            yield from _cut(path.read_text(encoding="utf-8", errors="replace"))


def _cut(text: str) -> Iterator[str]:
    """Paragraphs joined until a passage is long enough; longer ones are cut."""
    words: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        if _NOTHING_TO_READ.match(paragraph.strip()):
            continue
        words += paragraph.split()
        while len(words) >= _SHORTEST:
            yield " ".join(words[:_LONGEST])
            words = words[_LONGEST:]
