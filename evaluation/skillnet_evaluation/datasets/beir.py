"""BEIR's folders: corpus.jsonl, queries.jsonl and qrels/*.tsv (query, document, relevance)."""

from __future__ import annotations

from pathlib import Path

from skillnet_evaluation.datasets.faults import DatasetError, json_lines, text_of
from skillnet_evaluation.questions import Answer, Dataset, Question, SourceDocument

_COLUMNS = 3


def read_beir(folder: Path, *, split: str = "test") -> Dataset:
    """Questions without a relevant document are left out, as BEIR does. Raises DatasetError."""
    documents = [
        SourceDocument(
            key, f"{number:07}.txt", f"{entry.get('text') or ''}".encode(), title=entry.get("title") or None
        )
        for number, (key, entry) in enumerate(_entries(folder / "corpus.jsonl"))
        if (entry.get("text") or "").strip()
    ]
    relevant = _relevant(folder / "qrels" / f"{split}.tsv")
    known = {document.key for document in documents}
    questions = [
        Question(
            key,
            str(entry.get("text") or ""),
            tuple(Answer(document, gain=gain) for document, gain in relevant[key].items() if document in known),
            all_needed=True,
        )
        for key, entry in _entries(folder / "queries.jsonl")
        if relevant.get(key, {}).keys() & known
    ]
    if not questions:
        raise DatasetError(folder, f"holds no question of the split {split}")
    return Dataset(folder.name, documents, questions, ranks_documents=True)


def _entries(path: Path) -> list[tuple[str, dict[str, str]]]:
    found = []
    for number, entry in json_lines(path):
        if "_id" not in entry:
            raise DatasetError(path, "has no _id", line=number)
        found.append((str(entry["_id"]), entry))
    return found


def _relevant(path: Path) -> dict[str, dict[str, float]]:
    gains: dict[str, dict[str, float]] = {}
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        fields = line.split("\t")
        if number == 1 and not fields[-1].strip().lstrip("-").isdigit():
            continue  # the heading
        if not line.strip():
            continue
        if len(fields) != _COLUMNS or not fields[2].strip().lstrip("-").isdigit():
            raise DatasetError(path, "needs three columns: query, document, relevance as a whole number", line=number)
        if int(fields[2]) > 0:
            gains.setdefault(fields[0], {})[fields[1]] = float(fields[2])
    return gains
