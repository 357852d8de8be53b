"""Whatever is done to a file, it becomes a document or fails with a reason that has a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillnet_common.documents import ParsedDocument
from skillnet_common.documents.codec import document_from_json, document_to_json
from skillnet_common.errors import PermanentFault
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path

from .mutations import damaged, small_files

FAULTS = 40
"""Of each format; thousands were tried when this was written."""


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return small_files()


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx", "pdf", "PDF", "md", "html", "txt", "csv"])
def test_each_damaged_file_becomes_a_document_or_says_why_not(
    tmp_path: Path, files: dict[str, bytes], suffix: str
) -> None:
    path = tmp_path / "original"
    outcomes = []
    for number in range(FAULTS):
        path.write_bytes(damaged(files, suffix, number))
        outcomes.append(outcome_of(path, f"a.{suffix}"))
    documents = [outcome for outcome in outcomes if isinstance(outcome, ParsedDocument)]
    assert documents
    assert all(document_from_json(document_to_json(document)) == document for document in documents)
    assert all(fault.message.endswith(".") for fault in outcomes if isinstance(fault, PermanentFault))


def outcome_of(path: Path, name: str) -> ParsedDocument | PermanentFault:
    """Whatever else is raised is a failure of the test."""
    try:
        return parse_path(path, name, ParseLimits(), lambda _done, _total: None)
    except PermanentFault as fault:
        return fault
