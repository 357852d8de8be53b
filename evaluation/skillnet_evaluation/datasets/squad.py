"""SQuAD's format: every paragraph is a document of its own, and answers the questions asked of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skillnet_evaluation.datasets.faults import DatasetError, text_of
from skillnet_evaluation.questions import Answer, Dataset, Question, SourceDocument


def read_squad(path: Path, questions_from: Path | None = None) -> Dataset:
    """Paragraphs and questions of the file; `questions_from` gives the same questions in another language.

    What SQuAD 2.0 marks as impossible is a near miss: asked about a paragraph that does not answer it.
    Raises DatasetError.
    """
    documents: list[SourceDocument] = []
    places: dict[str, str] = {}
    for number, (title, paragraph) in enumerate(_paragraphs(path)):
        key = f"paragraph-{number:05}"
        context = str(paragraph["context"])
        documents.append(SourceDocument(key, f"{key}.txt", context.encode(), title=title))
        places.update({str(question["id"]): key for question in paragraph["qas"]})
    questions = [
        _question(places, asked, path)
        for _, paragraph in _paragraphs(questions_from or path)
        for asked in paragraph["qas"]
    ]
    if not questions:
        raise DatasetError(path, "holds no question")
    name = path.stem if questions_from is None else f"{questions_from.stem} over {path.stem}"
    return Dataset(name, documents, questions, ranks_documents=True)


def _question(places: dict[str, str], asked: dict[str, Any], path: Path) -> Question:
    name, text = str(asked["id"]), str(asked["question"])
    if asked.get("is_impossible"):
        return Question(name, text, (), kind="near_miss")
    return Question(name, text, (_answer(places, asked, path),))


def _answer(places: dict[str, str], asked: dict[str, Any], path: Path) -> Answer:
    key = places.get(str(asked["id"]))
    if key is None:
        raise DatasetError(path, f"has no paragraph for the question {asked['id']}")
    answers = asked.get("answers") or []
    return Answer(key, quote=str(answers[0]["text"]) if answers else "")


def _paragraphs(path: Path) -> list[tuple[str, dict[str, Any]]]:
    try:
        articles = json.loads(text_of(path))["data"]
        found = [
            (str(article.get("title") or path.stem), one) for article in articles for one in article["paragraphs"]
        ]
        for number, (_, paragraph) in enumerate(found, start=1):
            _require_text(path, f"paragraph {number}", paragraph["context"], "context")
            for position, asked in enumerate(paragraph["qas"], start=1):
                _require_form(path, f"paragraph {number}, question {position}", asked)
    except RecursionError as error:
        raise DatasetError(path, "is nested too deep") from error
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise DatasetError(path, f"is not of SQuAD's format ({type(error).__name__}: {error})") from error
    return found


def _require_form(path: Path, place: str, asked: dict[str, Any]) -> None:
    if asked["id"] is None:
        raise DatasetError(path, f"{place}: has no id")
    _require_text(path, place, asked["question"], "question")
    for answer in asked.get("answers") or []:
        _require_text(path, place, answer["text"], "answer")


def _require_text(path: Path, place: str, value: object, name: str) -> None:
    if not isinstance(value, str):
        raise DatasetError(path, f"{place}: its {name} is no text")
