"""The golden questions: how many there are of each kind, and that the documents say what they claim.

The documents are read with pymupdf and python-docx directly, so that no fault of our own parser can hide here.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import docx
import pymupdf
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
DOCUMENTS = sorted(path.name for path in (EXAMPLES / "documents").iterdir())
Question = dict[str, Any]
QUESTIONS: list[Question] = [
    json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
MISSPELT = [question for question in ANSWERABLE if "misspelt" in question["slice"]]
CORRECT = [question for question in ANSWERABLE if "misspelt" not in question["slice"]]
UNANSWERABLE = [question for question in QUESTIONS if not question["answerable"]]
ANSWERS = [
    pytest.param(answer, id=f"{question['id']}-{index}")
    for question in ANSWERABLE
    for index, answer in enumerate(question["answers"])
]
LEAST_OF_SLICE = {
    "accentless": 15,
    "code": 15,
    "table": 15,
    "two_documents": 10,
    "follow_up": 12,
    "english": 12,
    "portuguese": 12,
    "paraphrase": 12,
    "plain": 40,
}
SLICES = {*LEAST_OF_SLICE, "misspelt", "off_topic", "near_miss"}
MAX_EDITS_A_WORD = 2
"""Of one letter each; two neighbours that changed places are one."""
CODE = re.compile(r"\b[A-Z]{1,4}-?\d{2,4}(?:-[A-Z0-9]+)?\b")
STOP_WORDS = {"para", "pero", "algo", "esta", "este", "entre", "donde", "cuando", "porque", "todo", "puedo", "puede"}


@functools.cache
def pages(document: str) -> list[str]:
    """The text of each page of a PDF; of any other format, one text. A blank joins the cells of a table row."""
    path = EXAMPLES / "documents" / document
    if path.suffix == ".pdf":
        with pymupdf.open(path) as pdf:
            return [plain(page.get_text()) for page in pdf]
    if path.suffix == ".docx":
        lines: list[str] = []
        for item in docx.Document(str(path)).iter_inner_content():
            if isinstance(item, docx.table.Table):
                lines += [" ".join(cell.text for cell in row.cells) for row in item.rows]
            else:
                lines.append(item.text)
        return [plain("\n".join(lines))]
    return [plain(path.read_text(encoding="utf-8"))]


def plain(text: str) -> str:
    """Joins words divided at a line's end; drops Markdown's bars and asterisks; white space is single blanks."""
    joined = re.sub(r"(\w)[-\u00ad]\n(?=[^\W\d_A-Z])", r"\1", text)
    no_rules = re.sub(r"^\|[:\-| ]+\|$", " ", joined, flags=re.MULTILINE)
    return re.sub(r"\s+", " ", re.sub(r"[|*]", " ", no_rules)).strip()


@functools.cache
def sections(document: str) -> list[tuple[list[str], str]]:
    """The headings over each piece of text, outermost first and without the title, and the text itself.

    What stands before the first heading is under the title alone. PDF and DOCX: as in the text they are set from.
    """
    path = EXAMPLES / "documents" / document
    heading = re.compile(r"^()(\d\. .+|[^\W\d_a-z][A-ZÁÉÍÓÚÑ ]+)$" if path.suffix == ".txt" else r"^(#+) (.+)$")
    source = EXAMPLES / "source" / f"{path.stem}{'.txt' if path.suffix == '.txt' else '.md'}"
    lines = source.read_text(encoding="utf-8").splitlines()
    title = lines[0] if path.suffix == ".txt" else next(line[2:] for line in lines if line.startswith("# "))
    above: list[tuple[int, str]] = []
    found: list[tuple[list[str], list[str]]] = [([title], [])]
    for line in lines:
        match = heading.match(line)
        if match and match[1] != "#" and line != title:
            above = [outer for outer in above if outer[0] < len(match[1])] + [(len(match[1]), match[2])]
            found.append(([text for _, text in above], []))
        else:
            found[-1][1].append(line)
    return [(headings, plain("\n".join(body))) for headings, body in found]


def fold(text: str) -> str:
    """Lower case without accents (the letter ñ stays) and punctuation."""
    kept = text.lower().replace("ñ", "\0")
    bare = "".join(c for c in unicodedata.normalize("NFD", kept) if not unicodedata.combining(c)).replace("\0", "ñ")
    return " ".join(re.findall(r"\w+", bare))


def edits(left: str, right: str) -> int:
    """Damerau's distance (optimal string alignment) between two words."""
    rows = [list(range(len(right) + 1))]
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def test_there_are_enough_of_each_kind() -> None:
    slices = Counter(name for question in CORRECT for name in question["slice"])
    kinds = Counter(question["kind"] for question in UNANSWERABLE)

    assert len(CORRECT) >= 130
    assert len(MISSPELT) >= 44
    assert {name: slices[name] for name, least in LEAST_OF_SLICE.items() if slices[name] < least} == {}
    assert set(kinds) == {"off_topic", "near_miss"}
    assert min(kinds.values()) >= 32
    assert {name for question in QUESTIONS for name in question["slice"]} == SLICES


def test_ids_are_unique_and_sorted_and_no_question_comes_twice() -> None:
    ids = [question["id"] for question in QUESTIONS]
    asked = Counter((fold(question["question"]), question["follows"]) for question in QUESTIONS)

    assert ids == sorted(set(ids))
    assert [question for question, times in asked.items() if times > 1] == []


def test_every_document_is_asked_about_and_the_manual_all_over() -> None:
    answers = [answer for question in CORRECT for answer in question["answers"]]
    manual = {answer["page"] for answer in answers if answer["document"] == "manual-del-personal.pdf"}

    assert sorted({answer["document"] for answer in answers}) == DOCUMENTS
    assert manual >= set(range(4, 21))


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_quote_stands_on_that_page_of_the_document(answer: dict[str, Any]) -> None:
    texts = pages(answer["document"])

    if answer["document"].endswith(".pdf"):
        assert answer["pages"][0] <= answer["page"] <= answer["pages"][1]
        assert answer["quote"] in texts[answer["page"] - 1]
    else:
        assert answer["page"] is answer["pages"] is None
        assert answer["quote"] in texts[0]


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_quote_stands_under_that_section(answer: dict[str, Any]) -> None:
    texts = [text for headings, text in sections(answer["document"]) if headings == answer["section"]]

    assert len(texts) == 1
    assert answer["quote"] in texts[0]


def test_several_answers_say_whether_all_are_needed() -> None:
    for question in ANSWERABLE:
        assert ("all_needed" in question) == (len(question["answers"]) > 1), question["id"]
        documents = {answer["document"] for answer in question["answers"]}
        both = question.get("all_needed", False)
        assert both == ("two_documents" in question["slice"]), question["id"]
        assert not both or len(documents) >= 2, question["id"]


def test_follow_ups_point_to_the_question_before() -> None:
    known = {question["id"]: question for question in QUESTIONS}
    for question in QUESTIONS:
        assert (question["follows"] is not None) == ("follow_up" in question["slice"]), question["id"]
        if question["follows"]:
            assert question["follows"] < question["id"]
            assert known[question["follows"]]["follows"] is None
            assert known[question["follows"]]["split"] == question["split"]


@pytest.mark.parametrize("question", [pytest.param(question, id=question["id"]) for question in MISSPELT])
def test_a_misspelt_question_is_a_few_letters_away_from_the_intended_one(question: Question) -> None:
    pairs = list(zip(fold(question["question"]).split(), fold(question["intended"]).split(), strict=True))
    distances = [edits(wrong, right) for wrong, right in pairs]

    assert sum(distances) >= 1
    assert max(distances) <= MAX_EDITS_A_WORD
    assert any(wrong != right and len(right) > 3 for wrong, right in pairs)
    assert question["intended"] not in {other["question"] for other in QUESTIONS}


@pytest.mark.parametrize(
    "question",
    [pytest.param(question, id=question["id"]) for question in CORRECT if "accentless" in question["slice"]],
)
def test_an_accentless_question_lacks_nothing_but_its_accents(question: Question) -> None:
    assert not re.search(r"[áéíóúü¿]", question["question"])
    assert re.search(r"[áéíóúü]", question["intended"])
    assert fold(question["intended"]) == fold(question["question"])


@pytest.mark.parametrize(
    "question",
    [pytest.param(question, id=question["id"]) for question in CORRECT if "paraphrase" in question["slice"]],
)
def test_a_paraphrase_shares_no_content_word_with_the_passage(question: Question) -> None:
    asked = _stems(question["question"])
    for answer in question["answers"]:
        assert asked & _stems(answer["quote"]) == set()


def _stems(text: str) -> set[str]:
    return {word[:5] for word in fold(text).split() if len(word) > 3 and word not in STOP_WORDS}


def test_nothing_answers_the_unanswerable() -> None:
    everything = "\n".join(text for document in DOCUMENTS for text in pages(document))
    for question in UNANSWERABLE:
        assert question["answers"] == []
        assert question["answer"] is question["follows"] is None
        assert question["slice"] == [question["kind"]]
        absent = [code for code in CODE.findall(question["question"]) if code not in {"R-2"}]
        assert [code for code in absent if re.search(rf"{re.escape(code)}\b", everything)] == [], question["id"]


def test_calibration_and_test_halves_are_even_over_the_slices() -> None:
    halves = {name: [q for q in QUESTIONS if q["split"] == name] for name in ("calibration", "test")}
    counts = {name: Counter(s for q in half for s in q["slice"]) for name, half in halves.items()}

    assert sum(len(half) for half in halves.values()) == len(QUESTIONS)
    assert abs(len(halves["calibration"]) - len(halves["test"])) <= 2
    assert {s: (counts["calibration"][s], counts["test"][s]) for s in SLICES if _uneven(counts, s)} == {}


def _uneven(counts: dict[str, Counter[str]], name: str) -> bool:
    return abs(counts["calibration"][name] - counts["test"][name]) > 2
