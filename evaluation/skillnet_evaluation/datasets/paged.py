"""Questions with a document and a page, one JSON object a line.

Either `{"question", "document", "page"}` (a list of them under `answers` where there are several), or a `truth` that
names its sources as `[file.pdf#page=3]`, as the evaluation sets of chat demonstrations do.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from skillnet_evaluation.datasets.faults import DatasetError, json_lines
from skillnet_evaluation.datasets.golden import source_files
from skillnet_evaluation.questions import Answer, Dataset, Question

_CITED = re.compile(r"\[([^\[\]#]+)#page=(\d+)\]")


def read_paged(path: Path, documents: Path) -> Dataset:
    """The questions of the file over the documents of the folder. Raises DatasetError."""
    files = source_files(documents)
    keys = {name: file.key for file in files for name in (file.file_name, file.key)}
    questions = []
    for number, entry in json_lines(path):
        text = entry.get("question")
        if not isinstance(text, str) or not text.strip():
            raise DatasetError(path, "has no question", line=number)
        answers = _answers(entry)
        if not answers:
            raise DatasetError(path, "names no document and page", line=number)
        for name, _ in answers:
            if name not in keys:
                raise DatasetError(path, f"{documents} has no {name}", line=number)
        questions.append(
            Question(
                str(entry.get("id", number)),
                text,
                tuple(Answer(keys[name], pages=(page, page) if page else None) for name, page in answers),
            )
        )
    if not questions:
        raise DatasetError(path, "holds no question")
    return Dataset(path.stem, files, tuple(questions))


def _answers(entry: dict[str, Any]) -> list[tuple[str, int | None]]:
    if "truth" in entry:
        return [(name, int(page)) for name, page in _CITED.findall(str(entry["truth"]))]
    listed = entry.get("answers", [entry])
    if not isinstance(listed, list):
        return []
    return [
        (str(one["document"]), one["page"] if isinstance(one.get("page"), int) else None)
        for one in listed
        if isinstance(one, dict) and "document" in one
    ]
