"""Datasets of every form, and what is wrong with one told by file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillnet_evaluation.configurations import BUILT_IN, read_configuration
from skillnet_evaluation.datasets import (
    DatasetError,
    read_beir,
    read_golden,
    read_paged,
    read_squad,
    with_distractors,
)
from skillnet_evaluation.questions import Dataset

GOLDEN: dict[str, Any] = {
    "id": "q1",
    "question": "¿Cuánto?",
    "slice": ["plain"],
    "answers": [{"document": "a.txt", "section": ["Uno"], "page": 3, "quote": "diez"}],
    "answerable": True,
}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("Uno\n\ndiez")
    return folder


def lines(path: Path, *entries: object) -> Path:
    path.write_text("\n".join(e if isinstance(e, str) else json.dumps(e) for e in entries), encoding="utf-8")
    return path


def test_golden_questions(tmp_path: Path, documents: Path) -> None:
    nothing = {"id": "q2", "question": "¿Y?", "answers": [], "answerable": False, "kind": "off_topic"}
    dataset = read_golden(lines(tmp_path / "questions.jsonl", GOLDEN, "", nothing), documents)
    assert dataset.name == "golden"
    assert [document.key for document in dataset.documents] == ["a.txt"]
    first, second = dataset.questions
    assert first.answers[0].pages == (3, 3)
    assert first.slices == ("plain",)
    assert not second.is_answerable


def test_a_follow_up_has_the_conversation_before_it(tmp_path: Path, documents: Path) -> None:
    chain = [GOLDEN, GOLDEN | {"id": "q2", "follows": "q1", "question": "¿y dos?", "split": "test"}]
    chain.append(GOLDEN | {"id": "q3", "follows": "q2", "split": "test"})
    path = lines(tmp_path / "questions.jsonl", *chain)
    assert [q.earlier for q in read_golden(path, documents).questions] == [(), ("¿Cuánto?",), ("¿Cuánto?", "¿y dos?")]
    assert len(read_golden(path, documents, split="test").questions[-1].earlier) == 2
    with pytest.raises(DatasetError, match=r"line 1: follows: no question before it is q1"):
        read_golden(lines(tmp_path / "cut.jsonl", *chain[1:]), documents)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("{", "line 2: no JSON"),
        ("[]", "line 2: no JSON object"),
        ({**GOLDEN, "answerable": False}, "line 2: the question: Value error, an answerable question has answers"),
        ({**GOLDEN, "answers": [{"document": "b.txt"}]}, "has no b.txt"),
        ({**GOLDEN, "anwser": ""}, "line 2: anwser: Extra inputs"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, documents: Path, entry: object, says: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read_golden(lines(tmp_path / "q.jsonl", GOLDEN, entry), documents)
    assert says in caught.value.message


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    readers: list[Callable[[], Dataset]] = [
        lambda: read_squad(tmp_path / "x"),
        lambda: read_beir(tmp_path),
        lambda: read_golden(tmp_path, tmp_path),
    ]
    for read in readers:
        with pytest.raises(DatasetError) as caught:
            read()
        assert str(tmp_path) in caught.value.message


def test_json_that_is_nested_too_deep_is_named(tmp_path: Path, documents: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("\n" + "[" * 100_000)
    with pytest.raises(DatasetError, match=r"line 2: .*nested too deep"):
        read_golden(path, documents)
    with pytest.raises(DatasetError, match="nested too deep"):
        read_squad(path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"question": None}, "paragraph 2, question 1: its question is no text"),
        ({"id": None}, "paragraph 2, question 1: has no id"),
        ({"answers": [{"text": None}]}, "paragraph 2, question 1: its answer is no text"),
    ],
)
def test_squad_with_something_else_for_text_is_refused(tmp_path: Path, change: dict[str, object], says: str) -> None:
    asked = {"id": "1", "question": "¿Quién?", "answers": [{"text": "Ana"}], **change}
    articles = [{"paragraphs": [{"context": "No.", "qas": []}, {"context": "Ana vino.", "qas": [asked]}]}]
    with pytest.raises(DatasetError) as caught:
        read_squad(lines(tmp_path / "s.json", {"data": articles}))
    assert says in caught.value.message


def test_squad_takes_each_paragraph_for_a_document(tmp_path: Path) -> None:
    asked = {"id": "1", "question": "¿Quién?", "answers": [{"text": "Ana", "answer_start": 0}]}
    articles = [
        {"title": "T", "paragraphs": [{"context": "Ana vino.", "qas": [asked]}, {"context": "No.", "qas": []}]}
    ]
    path = lines(tmp_path / "s.json", {"data": articles})
    other = [{"title": "T", "paragraphs": [{"context": "Ana came.", "qas": [{**asked, "question": "Who?"}]}]}]
    dataset = read_squad(path, lines(tmp_path / "en.json", {"data": other}))
    assert [document.content for document in dataset.documents] == [b"Ana vino.", b"No."]
    assert dataset.questions[0].text == "Who?"
    assert dataset.questions[0].answers[0].document == dataset.documents[0].key
    assert dataset.ranks_documents


def test_beir_reads_graded_relevance(tmp_path: Path) -> None:
    lines(tmp_path / "corpus.jsonl", {"_id": "d1", "title": "A", "text": "uno"}, {"_id": "d2", "text": "dos"})
    lines(tmp_path / "queries.jsonl", {"_id": "q1", "text": "¿uno?"}, {"_id": "q2", "text": "nadie"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td2\t0\n")
    dataset = read_beir(tmp_path)
    (question,) = dataset.questions
    assert {answer.document: answer.gain for answer in question.answers} == {"d1": 2.0, "d2": 1.0}
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\tvery\n")
    with pytest.raises(DatasetError, match=r"line 2: needs three columns"):
        read_beir(tmp_path)


def test_questions_with_a_page_in_either_form(tmp_path: Path, documents: Path) -> None:
    path = lines(
        tmp_path / "p.jsonl",
        {"question": "one?", "truth": "Ten. [a.txt#page=2]"},
        {"question": "two?", "document": "a.txt", "page": 4},
    )
    dataset = read_paged(path, documents)
    assert [question.answers[0].pages for question in dataset.questions] == [(2, 2), (4, 4)]
    with pytest.raises(DatasetError, match="line 1: names no document"):
        read_paged(lines(tmp_path / "p.jsonl", {"question": "one?", "truth": "Ten."}), documents)


def test_distractors_are_passages_of_a_set_length(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("# Título\n\n" + "\n\n".join("palabra " * 90 for _ in range(60)))
    dataset = with_distractors(Dataset("d", (), ()), tmp_path, 20)
    assert dataset.name == "d among 20 distractors"
    (packed,) = dataset.documents
    assert isinstance(packed.content, bytes)
    passages = [part.split("\n\n")[1] for part in packed.content.decode().split("## ")[1:]]
    assert len(passages) == 20
    assert all(150 <= len(passage.split()) <= 250 for passage in passages)
    assert with_distractors(Dataset("d", (), ()), tmp_path, 20) == dataset
    with pytest.raises(DatasetError, match="gives 30 passages, not 1000"):
        with_distractors(Dataset("d", (), ()), tmp_path, 1000)


def test_configurations_are_fields_of_a_search(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('strategy = "hybrid"\nalpha = 0.3\n[filters]\nlanguage = "es"\n')
    configuration = read_configuration(path)
    assert configuration.name == "mine"
    request = configuration.request("¿?", limit=20)
    assert (request.alpha, request.filters.language, request.limit) == (0.3, "es", 20)
    for text, says in (
        ("alpha = 7", "alpha"),
        ("limit = 5", "set for each"),
        ("x =", "no TOML"),
        ("beta = 1", "beta"),
    ):
        path.write_text(text)
        with pytest.raises(DatasetError, match=says):
            read_configuration(path)
    assert {one.name for one in BUILT_IN} >= {"semantic", "keyword", "hybrid"}


def test_what_squad_marks_as_impossible_is_a_near_miss(tmp_path: Path) -> None:
    asked = {"id": "1", "question": "¿Quién?", "answers": [], "is_impossible": True}
    article = {"title": "T", "paragraphs": [{"context": "Ana vino.", "qas": [asked]}]}
    (question,) = read_squad(lines(tmp_path / "s.json", {"data": [article]})).questions
    assert (question.is_answerable, question.kind) == (False, "near_miss")
