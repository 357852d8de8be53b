"""Choosing passages by score within a budget of tokens, and writing them down as numbered sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Source
from skillnet_retriever.domain.context.duplicates import without_duplicates
from skillnet_retriever.domain.context.extracts import Extract, extracts_of
from skillnet_retriever.domain.context.surroundings import Place, with_surroundings
from skillnet_retriever.domain.context.tags import label_of, neutralised
from skillnet_retriever.domain.passages import FoundPassage, boxes_out

SEPARATOR = "\n\n---\n\n"

TokenCounter = Callable[[str], int]
"""Tokens of a text in the language model's own counting."""


@dataclass(frozen=True, slots=True)
class Context:
    """The block, its sources in order, its size in tokens, and how many passages found no room."""

    text: str
    sources: tuple[Source, ...]
    token_count: int
    dropped: int


def assemble(
    passages: Sequence[FoundPassage],
    budget: int,
    count_tokens: TokenCounter,
    around: Mapping[Place, FoundPassage] | None = None,
    *,
    extract_tokens: int = 0,
) -> Context:
    """The best of `passages` (best first) that fit `budget` tokens, tags and separators included.

    A passage is left out only where it does not fit beside better ones, so no worse one of the same cost takes its
    place. What room is left is for the chunks `around` them, up to `extract_tokens` an extract. Sources are numbered
    from 1: the document of the best passage first, inside it in the order of reading.
    """
    distinct = without_duplicates(passages)
    cost = _BlockCost(count_tokens)
    chosen: list[FoundPassage] = []
    for passage in distinct:
        if cost.of([*chosen, passage]) <= budget:
            chosen.append(passage)
    read = with_surroundings(
        chosen,
        around or {},
        extract_fits=lambda extract: cost.of(extract) <= extract_tokens,
        all_fit=lambda attempt: cost.of(attempt) <= budget,
    )
    text = _block(extracts_of(read))
    while read and count_tokens(text) > budget:  # tokens across a block's borders are not quite additive
        read.pop()
        text = _block(extracts_of(read))
    return Context(
        text=text,
        sources=tuple(_source(number, extract) for number, extract in enumerate(extracts_of(read), start=1)),
        token_count=count_tokens(text) if text else 0,
        dropped=len(distinct) - min(len(chosen), len(read)),
    )


class _BlockCost:
    """Tokens of a context as the sum over its parts; each part is counted once however often it is asked for."""

    def __init__(self, count_tokens: TokenCounter) -> None:
        self._count = count_tokens
        self._known: dict[str, int] = {}

    def of(self, passages: Sequence[FoundPassage]) -> int:
        tagged = [_tagged(number, extract) for number, extract in enumerate(extracts_of(passages), start=1)]
        return sum(map(self._tokens, tagged)) + self._tokens(SEPARATOR) * (len(tagged) - 1)

    def _tokens(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]


def _block(extracts: Sequence[Extract]) -> str:
    return SEPARATOR.join(_tagged(number, extract) for number, extract in enumerate(extracts, start=1))


def _tagged(number: int, extract: Extract) -> str:
    return f"[{label_of(number, extract)}]\n{neutralised(extract.text)}"


def _source(number: int, extract: Extract) -> Source:
    first, last = extract.passages[0].text, extract.passages[-1].text
    return Source(
        number=number,
        label=label_of(number, extract),
        document_id=first.document_id,
        version=first.version,
        document_title=first.document_title,
        section_path=list(first.section_path),
        page_start=first.page_start,
        page_end=last.page_end,
        page_label_start=first.label_start,
        page_label_end=last.label_end,
        chunk_ids=[passage.text.chunk_id for passage in extract.passages],
        char_start=first.char_start,
        char_end=last.char_end,
        boxes=[box for passage in extract.passages for box in boxes_out(passage.text.boxes)],
        text=neutralised(extract.text),
        ocr=any(passage.text.ocr for passage in extract.passages),
        score=extract.score,
    )
