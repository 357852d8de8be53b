"""Real documents: outlines against their true ones, pages against what is printed on them, and no crash."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path

import pymupdf
import pytest

from skillnet_common.documents import ParsedDocument
from skillnet_common.documents.codec import document_from_json, document_to_json
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.language import detect_language, with_language
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

LAWS = "pdf/fjortegan+curso-normativa-ciberseguridad-RAG-25/normativa"
REGULATION = f"{LAWS}/CELEX_32016R0679_ES_TXT.pdf"
STAFF = "qa/aganiezgoda+azure-search-openai-demo-hack"
ASVS = "docx/OWASP+ASVS/4.0/docs_es/OWASP Application Security Verification Standard 4.0.3-es.docx"
REASONS = frozenset(
    {
        ErrorCode.EMPTY_FILE,
        ErrorCode.UNSUPPORTED_TYPE,
        ErrorCode.PASSWORD_REQUIRED,
        ErrorCode.CORRUPT_FILE,
        ErrorCode.NO_PAGES,
        ErrorCode.NEEDS_OCR,
        ErrorCode.NOTHING_READABLE,
        ErrorCode.UNSAFE_ARCHIVE,
    }
)


def parse(path: Path) -> ParsedDocument:
    """The document, which has passed `check_invariants`."""
    return with_language(parse_path(path, path.name, ParseLimits(), lambda _done, _total: None))


def fold(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def true_headings(shared_data: Path, kind: str, path: str) -> list[tuple[str, int | None]]:
    for line in (shared_data / f"gold/outline_{kind}.jsonl").read_text().splitlines():
        outline = json.loads(line)
        if outline["path"] == path:
            return [(title, page) for _, title, page in outline["heads"]]
    raise LookupError(path)


def found_share(truth: list[tuple[str, int | None]], document: ParsedDocument) -> float:
    """The share of true headings found on their page."""
    left = Counter((fold(section.heading), section.page_start) for section in document.sections[1:])
    found = 0
    for title, page in truth:
        if left[fold(title), page]:
            left[fold(title), page] -= 1
            found += 1
    return found / len(truth)


@pytest.mark.parametrize("name", ["BOE-A-2002-13758-consolidado.pdf", "BOE-A-2018-16673-consolidado.pdf"])
def test_laws_without_their_bookmarks(shared_data: Path, tmp_path: Path, name: str) -> None:
    """Bookmarks are taken away, so that the outline rests on what is printed."""
    path = f"{LAWS}/{name}"
    with pymupdf.open(shared_data / path) as source:
        source.set_toc([])
        source.save(tmp_path / name)
    document = parse(tmp_path / name)
    truth = true_headings(shared_data, "pdf", path)
    assert found_share(truth, document) >= 0.97
    assert len(document.sections) <= 1.1 * len(truth)
    assert not re.search(r"^Página \d+$|BOLETÍN OFICIAL DEL ESTADO$", document.text, re.MULTILINE)


def test_the_articles_of_the_regulation_in_order_with_their_pages(shared_data: Path) -> None:
    document = parse(shared_data / REGULATION)
    articles = [section for section in document.sections if section.heading.startswith("Artículo")]
    numbers = [int(section.heading.split()[1]) for section in articles]
    assert numbers == list(range(1, 100))
    erasure = articles[16]
    assert erasure.path[-2:] == ("Sección 3 Rectificación y supresión", "Artículo 17 " + erasure.heading[12:])
    assert erasure.heading == "Artículo 17 Derecho de supresión («el derecho al olvido»)"
    assert (erasure.page_start, erasure.page_end) == (43, 44)
    assert "de un establecimiento del responsable" in document.text  # broken by a soft hyphen in print
    assert "Diario Oficial de la Unión Europea\n" not in document.text


def test_every_line_of_the_regulation_stands_on_its_page(shared_data: Path) -> None:
    document = parse(shared_data / REGULATION)
    with pymupdf.open(shared_data / REGULATION) as source:
        pages = {page.number + 1: fold(page.get_text()) for page in source}
    for line in document.lines[::7]:
        printed = document.text[line.start : line.end].replace("n.º", "n.o")
        assert fold(printed) in pages[line.box.page]


def test_the_answer_to_a_staff_question_stands_on_the_page_it_is_said_to(shared_data: Path) -> None:
    document = parse(shared_data / STAFF / "data/Northwind_Standard_Benefits_Details.pdf")
    at = document.text.index("This plan provides a balance billing protection")
    (line,) = [line for line in document.lines if line.start <= at < line.end]
    (section,) = [section for section in document.sections if section.start <= at < section.end]
    assert line.box.page == 7
    assert section.path[-2:] == ("HOW PROVIDERS AFFECT YOUR COSTS", "Balance Billing Protection")
    assert (document.page_count, document.language) == (104, "en")


def test_the_standard_in_word_has_its_true_outline(shared_data: Path) -> None:
    document = parse(shared_data / ASVS)
    truth = true_headings(shared_data, "docx", ASVS)
    assert [fold(section.heading) for section in document.sections[1:]] == [fold(title) for title, _ in truth]


def test_regulations_in_markdown(shared_data: Path) -> None:
    """All files become documents; the sections of Markdown are the headings outside code."""
    folder = shared_data / "text/ateeducacion+normativa_educativa_canaria"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(paths) > 300
    for path in paths:
        document = parse(path)
        if path.suffix != ".md":
            continue
        source = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(), flags=re.DOTALL)
        source = re.sub(r"^(```|~~~).*?^\1", "", source, flags=re.DOTALL | re.MULTILINE)
        headings = re.findall(r"^ {0,3}#{1,6} +\S", source, re.MULTILINE)
        assert len(document.sections) - 1 == len(headings), path


def test_staff_documents_become_documents_or_say_why_not(shared_data: Path) -> None:
    outcomes = outcomes_of(shared_data / STAFF)
    assert outcomes["ready"] >= 6
    assert sum(outcomes.values()) == 7


def test_word_files_of_every_kind(shared_data: Path) -> None:
    outcomes = outcomes_of(shared_data / "docx")
    assert outcomes["ready"] >= 55
    assert outcomes[ErrorCode.PASSWORD_REQUIRED] == 3
    assert outcomes[ErrorCode.UNSAFE_ARCHIVE] == 1


@pytest.mark.long
def test_pdfs_of_every_kind(shared_data: Path) -> None:
    outcomes = outcomes_of(shared_data / "pdf")
    assert outcomes["ready"] >= 40
    assert outcomes[ErrorCode.PASSWORD_REQUIRED] == 6


@pytest.mark.long
def test_texts_of_every_kind(shared_data: Path) -> None:
    assert outcomes_of(shared_data / "text")["ready"] >= 1220


def outcomes_of(folder: Path) -> Counter[str]:
    """How many files became documents, and how many failed with each code. Whatever else they raise is a
    failure of the test."""
    outcomes: Counter[str] = Counter()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        outcome = outcome_of(path)
        if isinstance(outcome, PermanentFault):
            assert outcome.code in REASONS
            assert outcome.message.endswith(".")
            outcomes[outcome.code] += 1
        else:
            assert document_from_json(document_to_json(outcome)) == outcome
            outcomes["ready"] += 1
    return outcomes


def outcome_of(path: Path) -> ParsedDocument | PermanentFault:
    try:
        return parse(path)
    except PermanentFault as fault:
        return fault


def test_twenty_pages_a_second(shared_data: Path) -> None:
    """In processor time, for other tests may be running."""
    detect_language("x" * 1000)  # loads its model
    started = time.process_time()
    document = parse(shared_data / REGULATION)
    assert document.page_count / (time.process_time() - started) >= 20
