"""The corpora of the comparison: what is asked of which documents, and the texts that the peers are given.

The peers get each document as our parser read it, page by page where it has pages: what is compared is the finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.peers.environment import ROOT
from benchmarks.results import progress
from skillnet_cli.inspecting.readers import read_document
from skillnet_common.documents import ParsedDocument
from skillnet_evaluation.datasets import read_golden, read_paged, read_squad, with_distractors
from skillnet_evaluation.questions import MISSPELT, Dataset, Question, SourceDocument

GOLDEN = ROOT / "examples" / "questions.jsonl"
NAMES = ("golden", "xquad", "xquad-titled", "xquad-en", "xquad-en-titled", "xquad-distractors", "qa")
_QA = Path("qa/aganiezgoda+azure-search-openai-demo-hack")
_ENGLISH = "qa"
_DISTRACTORS = 1_000


@dataclass(frozen=True, slots=True)
class Text:
    """What a peer indexes: a document, or a page of one."""

    document: str
    page: int | None
    body: str


@dataclass(frozen=True, slots=True)
class PeerCorpus:
    """A dataset with single answerable questions, and its documents as texts in a language (es, en)."""

    name: str
    language: str
    dataset: Dataset
    texts: tuple[Text, ...]


def read_corpus(name: str, shared_data: Path, questions: int | None = None) -> PeerCorpus:
    """The corpus of that name (one of NAMES), with `questions` of its questions, evenly spread (None: all).

    Raises DatasetError where its files are absent.
    """
    dataset = _dataset(name, shared_data).having(_is_asked)
    chosen = replace(dataset, questions=_spread(dataset.questions, questions))
    progress(f"peers: reading the documents of {name}")
    language = "en" if name == _ENGLISH else "es"
    return PeerCorpus(name, language, chosen, tuple(text for one in dataset.documents for text in texts_of(one)))


def texts_of(document: SourceDocument) -> Iterator[Text]:
    """The document's title, where it was given one, and its text; a text a page where the format has pages."""
    title = "" if document.title is None else f"{document.title}\n\n"
    if isinstance(document.content, bytes):
        yield Text(document.key, None, title + document.content.decode())
        return
    parsed = read_document(document.content)
    if not parsed.lines:
        yield Text(document.key, None, title + parsed.text)
        return
    for page, body in pages_of(parsed):
        yield Text(document.key, page, title + body)


def pages_of(document: ParsedDocument) -> Iterator[tuple[int, str]]:
    """The text of each page that has any: its blocks, with blank lines between them."""
    pages: dict[int, list[str]] = {}
    for block in document.blocks:
        spans: dict[int, tuple[int, int]] = {}
        for line in document.lines:
            if block.start <= line.start < block.end:
                start, _ = spans.get(line.box.page, (line.start, line.end))
                spans[line.box.page] = (start, line.end)
        for page, (start, end) in spans.items():
            pages.setdefault(page, []).append(document.text[start:end])
    for page in sorted(pages):
        yield page, "\n\n".join(pages[page])


def _dataset(name: str, shared_data: Path) -> Dataset:
    if name == "golden":
        return read_golden(GOLDEN, GOLDEN.parent / "documents")
    if name == "qa":
        return read_paged(shared_data / _QA / "evals" / "ground_truth.jsonl", shared_data / _QA / "data")
    spanish, english = (shared_data / "xquad" / f"xquad.{language}.json" for language in ("es", "en"))
    dataset = read_squad(spanish, english if name.startswith("xquad-en") else None)
    if not name.endswith("-titled"):
        dataset = _without_titles(dataset)
    if name.endswith("-distractors"):
        dataset = with_distractors(dataset, shared_data / "text", _DISTRACTORS)
    return dataset


def _without_titles(dataset: Dataset) -> Dataset:
    return replace(dataset, documents=tuple(replace(one, title=None) for one in dataset.documents))


def _is_asked(question: Question) -> bool:
    """Misspelt ones are a set of their own, and follow-ups need a conversation, which the peers have not."""
    return question.is_answerable and MISSPELT not in question.slices and not question.earlier


def _spread(questions: Sequence[Question], count: int | None) -> tuple[Question, ...]:
    if count is None or count >= len(questions):
        return tuple(questions)
    return tuple(questions[number * len(questions) // count] for number in range(count))
