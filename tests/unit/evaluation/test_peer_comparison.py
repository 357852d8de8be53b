"""Ours and theirs are judged alike, and the difference is told with its interval."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from benchmarks.peers.comparison import Compared, difference, hits_of, judged
from benchmarks.peers.corpora import PeerCorpus, Text, pages_of, read_corpus
from benchmarks.peers.judging import Hit, ndcg
from benchmarks.peers.protocol import Chunk, Reply
from benchmarks.peers.reporting import report_of, table_of
from benchmarks.peers.systems import settings

from skillnet_common.documents import Block, BlockKind, Box, Line, ParsedDocument
from skillnet_evaluation.questions import Answer, Dataset, Question

SECOND = 1 / math.log2(3)
PAGED = Question("1", "¿Cuánto dura?", (Answer("a.pdf", pages=(2, 3)),))
QUOTED = Question(
    "2", "¿Cuándo abre?", (Answer("b.md", section=("Horario",), quote="abre a las nueve de la mañana"),)
)


def hit(document: str, page: int | None = None, text: str = "otra cosa") -> Hit:
    return Hit(document, page, page, text)


@pytest.mark.parametrize(
    ("question", "hits", "expected"),
    [
        (PAGED, [hit("a.pdf", 3)], 1.0),
        (PAGED, [hit("a.pdf", 1), hit("a.pdf", 2)], SECOND),
        (PAGED, [hit("b.pdf", 2)], 0.0),
        (QUOTED, [hit("b.md", text="La tienda abre a las nueve de la mañana.")], 1.0),
        (QUOTED, [hit("b.md", text="Horario"), hit("b.md", text="abre a las nueve de la mañana")], SECOND),
        (QUOTED, [hit("c.md", text="abre a las nueve de la mañana")], 0.0),
        (PAGED, [], 0.0),
    ],
    ids=["its page", "another page first", "another document", "its words", "its heading alone", "elsewhere", "none"],
)
def test_a_place_is_found_by_its_page_or_its_words(question: Question, hits: list[Hit], expected: float) -> None:
    assert ndcg(question, hits, ranks_documents=False) == pytest.approx(expected)


def test_chunks_of_one_answer_count_once() -> None:
    both = Question("3", "¿Y?", (Answer("a.pdf", pages=(1, 1)), Answer("b.pdf", pages=(1, 1))), all_needed=True)
    hits = [hit("a.pdf", 1), hit("a.pdf", 1), hit("b.pdf", 1)]
    assert ndcg(both, hits, ranks_documents=False) == pytest.approx((1 + 1 / 2) / (1 + SECOND))


def test_a_document_stands_at_its_best_chunk() -> None:
    asked = Question("4", "¿Y?", (Answer("b"),))
    assert ndcg(asked, [hit("a"), hit("a"), hit("b")], ranks_documents=True) == pytest.approx(SECOND)


def corpus(*questions: Question, ranks_documents: bool = True) -> PeerCorpus:
    texts = (Text("a", None, "uno"), Text("b", 4, "dos"))
    return PeerCorpus("five", "es", Dataset("five", (), questions, ranks_documents), texts)


def test_what_a_peer_found_stands_where_its_text_does() -> None:
    reply = Reply({}, [Chunk(1, "do"), Chunk(1, "os"), Chunk(0, "uno")], [[2, 1], []])
    assert list(hits_of(corpus(), reply)) == [[Hit("a", None, None, "uno"), Hit("b", 4, 4, "os")], []]


def test_the_difference_is_ours_minus_theirs_and_paired() -> None:
    assert difference([0.5, 0.5, 1.0], [1.0, 1.0, 0.5]) == {
        "mean": pytest.approx(0.1667), "low": -0.5, "high": 0.5, "ours_ahead": 2, "theirs_ahead": 1,
    }  # fmt: skip
    always = difference([0.1, 0.9], [0.3, 1.1])
    assert (always["low"], always["mean"], always["high"]) == pytest.approx((0.2, 0.2, 0.2))


def test_the_report_counts_the_bounds_and_names_what_failed() -> None:
    asked = tuple(Question(str(n), "¿Y?", (Answer("a"),)) for n in range(4))
    found = judged(corpus(*asked).dataset, [[hit("a")]] * 4)
    assert found == [1.0] * 4
    compared = Compared(
        corpus(*asked),
        {"hybrid": found, "other": [0.5] * 4},
        peers={"equal": found, "behind": [0.5] * 4},
        chunks={"equal": 2, "behind": 3},
        failed={"absent": "no wheel"},
        versions={"peer": "1.0"},
    )
    report = report_of([compared])
    assert report["target"] == {"comparisons": 2, "low_above_0": 1, "low_at_least_0": 2}
    assert report["versions"] == {"peer": "1.0"}
    assert report["corpora"][0]["peers"]["behind"]["difference"]["low"] == 0.5
    assert json.loads(json.dumps(report)) == report
    lines = table_of(report["corpora"][0])
    assert "| behind | 3 | 0.5000 | +0.5000 | +0.5000 to +0.5000 | 4 / 0 |" in lines
    assert lines[-1].startswith("| absent | | failed")


def test_each_system_has_both_lengths_and_its_default() -> None:
    names = [setting.name for setting in settings()]
    assert len(set(names)) == len(names) == 12
    assert {"txtai, 256", "txtai, 400", "txtai, default"} <= set(names)


def test_a_block_over_two_pages_is_given_to_both() -> None:
    text = "Título\n\nprimera segunda"
    lines = tuple(
        Line(text.index(word), text.index(word) + len(word), Box(page, 0, 0, 1, 1))
        for word, page in (("Título", 1), ("primera", 1), ("segunda", 2))
    )
    blocks = (Block(BlockKind.HEADING, 0, 6, 0), Block(BlockKind.PARAGRAPH, 8, len(text), 0))
    document = ParsedDocument(text, lines, blocks, (), "pdf", 2, False, "es")
    assert list(pages_of(document)) == [(1, "Título\n\nprimera"), (2, "segunda")]


def squad(folder: Path, language: str, question: str) -> None:
    asked = [{"id": str(n), "question": f"{question} {n}", "answers": [{"text": "uno"}]} for n in range(6)]
    article = {"title": "Artículo", "paragraphs": [{"context": "uno dos", "qas": asked}]}
    (folder / "xquad").mkdir(exist_ok=True)
    (folder / "xquad" / f"xquad.{language}.json").write_text(json.dumps({"data": [article]}), encoding="utf-8")


def test_titles_are_given_to_both_sides_or_to_none(tmp_path: Path) -> None:
    squad(tmp_path, "es", "¿Qué?")
    squad(tmp_path, "en", "What?")
    bare, titled = read_corpus("xquad", tmp_path, 3), read_corpus("xquad-en-titled", tmp_path)
    assert [one.title for one in bare.dataset.documents] == [None]
    assert [text.body for text in bare.texts] == ["uno dos"]
    assert [question.id for question in bare.dataset.questions] == ["0", "2", "4"]
    assert [one.title for one in titled.dataset.documents] == ["Artículo"]
    assert [text.body for text in titled.texts] == ["Artículo\n\nuno dos"]
    assert titled.dataset.questions[0].text == "What? 0"
