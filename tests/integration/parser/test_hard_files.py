"""Each public file on which some reader failed: refused with its true reason, or read whole."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

REFUSED = {
    ErrorCode.PASSWORD_REQUIRED: (
        *("bug53475-password-is-pass.docx", "protected_agile.docx", "document with password.docx"),
        *("AES256ExposedMeta.pdf", "issue3371.pdf", "password-protected.pdf"),
        *("r4-user-password.pdf", "r6-both-passwords.pdf", "r6-user-password.pdf"),
    ),
    ErrorCode.UNSAFE_ARCHIVE: ("ExternalEntityInText.docx",),
    ErrorCode.CORRUPT_FILE: (
        "clusterfuzz-testcase-minimized-POIFuzzer-6709287337197568.docx",
        "clusterfuzz-testcase-minimized-POIXWPFFuzzer-4791943399604224.docx",
        *("poppler-67295-0.pdf", "poppler-85140-0.pdf"),
    ),
    ErrorCode.NO_PAGES: (
        *("GHOSTSCRIPT-698804-1-fuzzed.pdf", "REDHAT-1531897-0.pdf", "issue21436.pdf"),
        *("issue19484_1.pdf", "issue19484_2.pdf"),
    ),
    ErrorCode.EMPTY_FILE: ("empty.pdf",),
    ErrorCode.NEEDS_OCR: (
        *("issue_51265_2.docx", "Of16-03.docx", "Of16-06.docx"),
        *("ocr_test.pdf", "single_table.pdf", "encrypted_doc_no_id.pdf", "imagemagick-lzw.pdf"),
        *("bitmap-halftone-skip-grid-template2.pdf", "issue17871_top_right.pdf"),
        # fonts that do not say which letters they show
        *("ThuluthFeatures.pdf", "font_ascent_descent.pdf", "freetext_no_appearance.pdf", "issue8586.pdf"),
        *("issue11131_reduced.pdf", "issue11549_reduced.pdf", "issue14953.pdf", "issue18059.pdf"),
        *("habibi-oneline-cmap.pdf", "habibi-rotated.pdf"),
    ),
    ErrorCode.NOTHING_READABLE: (
        *(
            "bottom-Bottom Border-val-holly.docx",
            "left-Left Border-sz-24.docx",
            "right-Right Border-val-cakeSlice.docx",
        ),
        "lid-Merge Field Name Language ID-val-th-TH.docx",
        *("AnnotationTypes.pdf", "gradientfill.pdf", "scorecard_reduced.pdf", "tiling_patterns_variations.pdf"),
    ),
    ErrorCode.UNSUPPORTED_TYPE: (
        *("fake-jpg.pdf", "fake-email-utf-16.eml"),
        *("english.cp500.txt", "russian.cp866.txt", "test_mskanji.csv"),
        *("test_ignore_IBM420.html", "testArabicMisleadingCharset.html"),
    ),
}
# Headings, tables, notes and letters of the text.
WORD = {
    "docx-tables.docx": (0, 3, 0, 109),
    "45690.docm": (4, 1, 0, 1709),
    "52449.docx": (3, 0, 0, 196),
    "58067.docx": (1, 0, 0, 56),
    "60158.docm": (0, 0, 0, 103),
    "60329.docx": (0, 1, 0, 3491),
    "SimpleMacro.docm": (0, 0, 0, 34),
    "bug59058.docx": (18, 6, 0, 94390),
    "bug65649.docx": (15, 20, 6, 221358),
    "delins.docx": (0, 0, 0, 1042),
    "stress005.docx": (1, 1, 0, 11256),
    "stress009.docx": (5, 0, 0, 1466),
    "stress010.docx": (89, 10, 11, 182848),
    "quarterly-report.docm": (0, 0, 0, 16),
    "test_recursive_embedded.docx": (0, 0, 0, 6),
    "testAltChunkHTML.docx": (0, 1, 0, 73),
    "testInstrLink.docx": (0, 0, 0, 161),
    "testWORD_emptyParaInTextbox.docx": (3, 1, 0, 1025),
    "Strict.docx": (0, 0, 0, 8),
    "Comment025.docx": (0, 0, 0, 2218),
    "Comment041.docx": (0, 0, 0, 2191),
    "Comment042.docx": (0, 0, 2, 2656),
    "Comment044.docx": (0, 0, 0, 1733),
    "comment.docx": (39, 4, 2, 15159),
    "footnote.docx": (39, 4, 2, 15159),
    "BusinessReport_TP10067040.dotx": (1, 1, 0, 111),
    "CriticalIssueReport_TP10187011.dotx": (23, 4, 0, 1313),
    "HappyBirthdayCard_TP10169560.dotx": (3, 0, 0, 51),
    "outlineLvl.docx": (2, 0, 0, 47),
    "complex tables.docx": (1, 1, 0, 283),
    "coverpage1.docx": (0, 1, 0, 217),
    "hyperlink-in table.docx": (0, 1, 0, 91),
    "pic-1.docx": (1, 0, 0, 10),
    "test.docx": (4, 1, 0, 3641),
    "blk-paras-and-tables.docx": (0, 0, 0, 119),
}
# Pages, letters of the text at least, and a word or two that only a true reading has.
PDFS = {
    "asvs-webapp-alpha-2008.pdf": (45, 41000, "Security Control Behavior"),
    "layout-parser-paper-fast.pdf": (2, 4500, "Unified Toolkit"),
    "multi-column.pdf": (13, 44000, "Passage Retrieval"),
    "cweb.pdf": (28, 72000, "definition"),
    "BidiSample.pdf": (1, 130, "العربية"),
    "file1.pdf": (1, 430, "Apache License"),
    "rotated_page.pdf": (1, 1900, "Non-defense"),
    "TAMReview.pdf": (23, 3700, "Technology Acceptance"),
    "bug850854.pdf": (1, 9, "Bug 850854"),
    "bug878026.pdf": (1, 9, "Bug 878026"),
    "calrgb.pdf": (17, 18000, "WhitePoint"),
    "issue1045.pdf": (1, 10, "automatic"),
    "issue3323.pdf": (1, 5, "THAN"),
    "issue4800.pdf": (1, 12, "Introduction"),
    "PDFUA-Ref-2-03_AcademicAbstract.pdf": (2, 5100, "accessibility"),
    "PDFUA-Ref-2-05_BookChapter-german.pdf": (21, 58000, "Barrierefreiheit"),
    "issue-1061-colour-space-stack.pdf": (12, 50000, "differential privacy"),
    "right_to_left_02.pdf": (1, 900, "الحكومة"),
    "issue13211.pdf": (1, 500, "Im(z"),
    "issue16263.pdf": (1, 200, "OA"),
}
# The words that show that the encoding was told.
TEXTS = {
    "example-steelJIS-datasheet-utf-16.html": "JIS",
    "umlauts-non-utf8.md": "können",
    "multi-language.txt": "Category",
    "testTXT_win-1252.txt": "“",
    "big-preamble.html": "Аренда",
    "testHTMLNoisyMetaEncoding_1.html": "الاتحاد",
    "testHTMLNoisyMetaEncoding_3.html": "الاتحاد",
    "testHTML_charset_utf16le.html": "This",
}
SPANISH_PAGES = re.compile(r"^text/OWASP\+Top10/")


@cache
def places(shared_data: Path) -> dict[str, Path]:
    """Where each file stands; the names are of one file each."""
    return {path.name: path for path in shared_data.rglob("*.*")}


@cache
def read(shared_data: Path, name: str) -> ParsedDocument:
    """The document, which has passed `check_invariants`."""
    return parse_path(places(shared_data)[name], name, ParseLimits(), lambda _done, _total: None)


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, names in REFUSED.items() for name in names])
def test_a_file_that_cannot_be_read_says_why(shared_data: Path, code: ErrorCode, name: str) -> None:
    with pytest.raises(PermanentFault) as caught:
        read(shared_data, name)
    assert caught.value.code is code


@pytest.mark.parametrize(("name", "counts"), WORD.items())
def test_word(shared_data: Path, name: str, counts: tuple[int, int, int, int]) -> None:
    document = read(shared_data, name)
    kinds = [block.kind for block in document.blocks]
    headings, tables, notes = (kinds.count(kind) for kind in (BlockKind.HEADING, BlockKind.TABLE, BlockKind.NOTE))
    assert (headings, tables, notes, sum(map(str.isalnum, document.text))) == counts
    assert not any(warning.startswith("Only") for warning in document.warnings)


@pytest.mark.parametrize(("name", "facts"), PDFS.items())
def test_pdf(shared_data: Path, name: str, facts: tuple[int, int, str]) -> None:
    pages, letters, words = facts
    document = read(shared_data, name)
    assert document.page_count == pages
    assert sum(map(str.isalnum, document.text)) >= letters
    assert words in document.text
    assert "\x00" not in document.text


def test_letters_that_a_few_fonts_hide_cost_their_pages_only(shared_data: Path) -> None:
    document = read(shared_data, "TAMReview.pdf")
    assert any("their fonts do not say" in warning for warning in document.warnings)
    assert len({removal.page for removal in document.removed}) >= 20


def test_scanned_covers_are_told(shared_data: Path) -> None:
    document = read(shared_data, "asvs-webapp-alpha-2008.pdf")
    assert document.warnings == ("Not read, for they are scanned images: pages 1, 45.",)


@pytest.mark.parametrize(("name", "words"), TEXTS.items())
def test_encodings(shared_data: Path, name: str, words: str) -> None:
    assert words in read(shared_data, name).text


def test_every_file_called_hard_is_tested_here(shared_data: Path) -> None:
    with (shared_data / "SOURCES.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    hard = {
        Path(row["local"]).name
        for row in rows
        if row["why"].startswith(("hard", "odd")) and not SPANISH_PAGES.match(row["local"])
    }
    assert hard <= {name for names in REFUSED.values() for name in names} | {*WORD, *PDFS, *TEXTS}


def test_spanish_pages_with_an_odd_mark(shared_data: Path) -> None:
    """Their first bytes or line ends are odd, not their text."""
    paths = sorted((shared_data / "text/OWASP+Top10").rglob("*.md"))
    assert paths
    for path in paths:
        document = parse_path(path, path.name, ParseLimits(), lambda _done, _total: None)
        assert document.warnings == ()
        assert re.search("[áéíóúñ]", document.text)
        assert len(document.sections) > 1
