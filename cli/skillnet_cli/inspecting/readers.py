"""Asks the parser and the chunker, each in a process of its own: the command needs no server, and a hostile
file costs no more than that process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillnet_common.documents import Box, Chunk, ParsedDocument
from skillnet_common.documents.codec import document_from_json, document_to_json
from skillnet_common.errors import ErrorCode, PermanentFault, SkillnetError

_TAIL = 600  # characters of what a failed process said


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as it looks: size in pixels, PNG in base64."""

    page: int
    width: int
    height: int
    png: str


@dataclass(frozen=True, slots=True)
class Cut:
    """The chunks, and the spans of the text that none of them holds: reason, start and end of each."""

    chunks: list[Chunk]
    unindexed: list[dict[str, Any]]


def read_document(path: Path) -> ParsedDocument:
    """The document as the parser reads it.

    Raises SkillnetError with the code the document would fail with, `misconfigured` where the parser is not
    installed.
    """
    if not path.is_file():
        raise SkillnetError(ErrorCode.NOT_FOUND, f"There is no file {path}.")
    answer = json.loads(_run("skillnet_parser.inspection", "parse", str(path.resolve())))
    if "fault" in answer:
        fault = answer["fault"]
        raise PermanentFault(ErrorCode(fault["code"]), fault["message"], **fault["details"])
    return document_from_json(json.dumps(answer["document"]))


def read_pages(path: Path) -> list[PageImage]:
    """Images of a PDF's pages, of the first 200 at most."""
    lines = _run("skillnet_parser.inspection", "pages", str(path.resolve())).splitlines()
    return [PageImage(**json.loads(line)) for line in lines]


def languages_of_scans() -> tuple[str, str | None]:
    """The languages that scans are to be read in (`spa+eng`), and those they can be read in here, None without data.

    Raises SkillnetError `misconfigured` where the parser is not installed.
    """
    answer = json.loads(_run("skillnet_parser.inspection", "ocr"))
    return answer["wanted"], answer["found"]


def cut_chunks(document: ParsedDocument, title: str) -> Cut:
    """The chunks, cut by the settings and the tokenizer of the embedding model of this environment."""
    answer = json.loads(_run("skillnet_chunker.inspection", title, given=document_to_json(document)))
    return Cut([_chunk(fields) for fields in answer["chunks"]], answer["unindexed"])


def _chunk(fields: dict[str, Any]) -> Chunk:
    boxes = tuple(Box(**box) for box in fields["boxes"])
    return Chunk(**{**fields, "section_path": tuple(fields["section_path"]), "boxes": boxes})


def _run(module: str, *arguments: str, given: str = "") -> str:
    command = (sys.executable, "-B", "-m", module, *arguments)
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)  # noqa: S603 - our modules
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-_TAIL:]
        if f"No module named '{module.partition('.')[0]}'" in said or "ModuleNotFoundError" in said:
            raise PermanentFault(
                ErrorCode.MISCONFIGURED,
                "The parser is not installed here: pip install 'skillnet-retrieval[parser,chunker]'.",
            )
        raise PermanentFault(ErrorCode.INTERNAL_ERROR, f"{module} ended with {done.returncode}: {said}")
    return done.stdout.decode()
