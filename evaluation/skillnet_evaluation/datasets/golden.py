"""The golden questions: one JSON object a line (examples/README.md describes them)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from skillnet_evaluation.datasets.faults import DatasetError, json_lines
from skillnet_evaluation.questions import Answer, Dataset, Question, SourceDocument


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GoldenAnswer(_Entry):
    """Where an answer stands: a file name, the headings down to it, and its pages where the format has them."""

    document: str
    section: list[str] = Field(default_factory=list)
    page: int | None = None
    pages: tuple[int, int] | None = None
    quote: str = ""


class GoldenQuestion(_Entry):
    """A line of the file."""

    id: str
    question: Annotated[str, Field(min_length=1)]
    slice: list[str] = Field(default_factory=list)
    language: str = "es"
    answers: list[GoldenAnswer] = Field(default_factory=list)
    all_needed: bool = False
    answer: str | None = None
    follows: str | None = None
    answerable: bool
    kind: Literal["off_topic", "near_miss"] | None = None
    intended: str | None = None
    split: Literal["calibration", "test"] | None = None

    @model_validator(mode="after")
    def _agrees(self) -> GoldenQuestion:
        if self.answerable != bool(self.answers):
            raise ValueError("an answerable question has answers, another one has none")
        return self


def read_golden(path: Path, documents: Path, *, split: str | None = None) -> Dataset:
    """The questions of the file over the documents of the folder. `split` limits them to one half.

    Raises DatasetError.
    """
    files = source_files(documents)
    known = {file.key for file in files}
    questions: list[Question] = []
    conversations: dict[str, tuple[str, ...]] = {}
    for number, entry in json_lines(path):
        try:
            golden = GoldenQuestion.model_validate(entry)
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(map(str, fault["loc"])) or "the question"
            raise DatasetError(path, f"{where}: {fault['msg']}", line=number) from error
        absent = sorted({answer.document for answer in golden.answers} - known)
        if absent:
            raise DatasetError(path, f"{documents} has no {absent[0]}", line=number)
        if golden.follows is not None and golden.follows not in conversations:
            raise DatasetError(path, f"follows: no question before it is {golden.follows}", line=number)
        earlier = conversations.get(golden.follows or "", ())
        conversations[golden.id] = (*earlier, golden.question)
        if split is None or golden.split in {None, split}:
            questions.append(_question(golden, earlier))
    if not questions:
        raise DatasetError(path, "holds no question")
    return Dataset(path.stem if path.stem != "questions" else "golden", files, tuple(questions))


def source_files(folder: Path) -> tuple[SourceDocument, ...]:
    """Every file below the folder, its path there as its key. Raises DatasetError where it is no folder."""
    if not folder.is_dir():
        raise DatasetError(folder, "is no folder")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return tuple(SourceDocument(path.relative_to(folder).as_posix(), path.name, path) for path in files)


def _question(golden: GoldenQuestion, earlier: tuple[str, ...]) -> Question:
    answers = tuple(
        Answer(
            answer.document,
            pages=answer.pages or ((answer.page, answer.page) if answer.page is not None else None),
            section=tuple(answer.section),
            quote=answer.quote,
        )
        for answer in golden.answers
    )
    return Question(
        golden.id, golden.question, answers, golden.all_needed, tuple(golden.slice), golden.kind or "", earlier
    )
