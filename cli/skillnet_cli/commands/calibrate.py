"""`skillnet models calibrate`: when what a model finds can carry an answer, learnt from questions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from zlib import crc32

import typer
from rich.progress import Progress

from skillnet_bootstrap.calibrations import store_calibration
from skillnet_cli.evaluation_stack import data_folder, key_of
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, print_json, print_table, progress_console
from skillnet_cli.stack import open_stack
from skillnet_cli.target import DataFolder, Target, data_folder_or_default, require_stack
from skillnet_common.calibration import Calibration
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_evaluation.calibrating import Case, TooFewCases, collect, fit, rates
from skillnet_evaluation.corpus import load
from skillnet_evaluation.datasets import read_golden, read_squad, with_distractors
from skillnet_evaluation.questions import Dataset, Question
from skillnet_inference.factory import model_identity
from skillnet_inference.settings import EmbeddingSettings

_GOLDEN = Path("examples/questions.jsonl")
_SETS = ("calibration", "test")
_STRANGERS = 100
"""Questions of each other set of documents that are asked of these."""


@reports_errors
def calibrate(
    questions: Annotated[
        Path | None, typer.Argument(help="Golden questions with both splits.", show_default=str(_GOLDEN))
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="The folder of documents asked about.", show_default="documents beside them")
    ] = None,
    squad: Annotated[
        list[Path] | None, typer.Option(help="A file of SQuAD's format too; every other question is fitted to.")
    ] = None,
    questions_from: Annotated[
        list[Path] | None, typer.Option(help="Questions in another language over the first --squad; repeatable.")
    ] = None,
    squad_questions: Annotated[int, typer.Option(min=10, help="Of each of these at most so many questions.")] = 300,
    distractors: Annotated[Path | None, typer.Option(help="Texts to add that answer nothing.")] = None,
    distractor_count: Annotated[int, typer.Option(min=1, help="How many passages of them.")] = 500,
    most_refused: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of what can be answered that may be refused.")
    ] = 0.05,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the calibration to this file.")] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Store it for the model, in the local stack or at DATABASE_MIGRATOR_URL.")
    ] = False,
    work: Annotated[Path | None, typer.Option(help="Keep the measuring stack's data here.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Fit when passages suffice for an answer to half of the questions, and show how the other half is judged."""
    golden = questions or _GOLDEN
    datasets = [read_golden(golden, documents or golden.parent / "documents")]
    datasets += [_sampled(read_squad(path, None), squad_questions) for path in squad or ()]
    if questions_from:
        if not squad:
            raise SkillnetError(ErrorCode.INVALID_REQUEST, "--questions-from needs --squad.")
        datasets += [_sampled(read_squad(squad[0], path), squad_questions) for path in questions_from]
    if distractors is not None:
        datasets = [with_distractors(dataset, distractors, distractor_count) for dataset in datasets]
    with data_folder(work) as folder:
        cases = asyncio.run(_collected(folder, datasets, golden, fast=work is None))
    try:
        calibration = fit(cases["calibration"], most_refused=most_refused)
    except TooFewCases as error:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"Too few questions to learn from: {error}.") from error
    if output is not None:
        output.write_text(calibration.model_dump_json(indent=2) + "\n", "utf-8")
    if store:
        asyncio.run(store_calibration(_migrator_url(data), model_identity(EmbeddingSettings()).slug, calibration))
    _show(cases, calibration, as_json=as_json)


async def _collected(folder: Path, datasets: Sequence[Dataset], golden: Path, *, fast: bool) -> dict[str, list[Case]]:
    """The cases of each half."""
    cases: dict[str, list[Case]] = {name: [] for name in _SETS}
    halves = [_halves(dataset, golden) for dataset in datasets]
    async with open_stack(folder, fast=fast) as stack:
        for number, dataset in enumerate(datasets):
            key = await key_of(dataset, stack.state.environment["DATABASE_URL"])
            target = Target(stack.address, key)
            for at, name in enumerate(_SETS):
                others = [pair[at] for pair in halves if pair[at].documents != dataset.documents]
                strangers = [question for other in others for question in other.questions[:_STRANGERS]]
                cases[name] += await asyncio.to_thread(_asked, target, halves[number][at], strangers)
    return cases


def _halves(dataset: Dataset, golden: Path) -> tuple[Dataset, Dataset]:
    """The questions to fit to, and those to judge by: the golden file says which, others are parted by their ids."""
    fitted = {question.id for question in dataset.questions if crc32(question.id.encode()) % 2 == 0}
    if dataset.name.startswith("golden"):
        folder = golden.parent / "documents"
        fitted = {question.id for question in read_golden(golden, folder, split="calibration").questions}
    return dataset.having(lambda q: q.id in fitted), dataset.having(lambda q: q.id not in fitted)


def _asked(target: Target, dataset: Dataset, strangers: Sequence[Question]) -> list[Case]:
    with target.client() as client, Progress(console=progress_console, transient=True) as progress:
        task = progress.add_task("Starting", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=f"{dataset.name}: {what}", completed=done, total=total)

        return collect(client, dataset, load(client, dataset, tell), strangers, tell)


def _sampled(dataset: Dataset, count: int) -> Dataset:
    step = max(1, len(dataset.questions) // count)
    return replace(dataset, questions=tuple(dataset.questions[::step][:count]))


def _migrator_url(data: Path | None) -> str:
    url = os.environ.get("DATABASE_MIGRATOR_URL")
    return url or require_stack(data_folder_or_default(data)).environment["DATABASE_MIGRATOR_URL"]


def _show(cases: dict[str, list[Case]], calibration: Calibration, *, as_json: bool) -> None:
    found = {name: rates(cases[name], calibration) for name in _SETS}
    counts = {name: len(cases[name]) for name in _SETS}
    if as_json:
        print_json({"cases": counts, "judged_rightly": found, "calibration": calibration.model_dump(mode="json")})
        return
    kinds = sorted({kind for rates_of in found.values() for kind in rates_of})
    rows = [(kind, *(_percent(found[name].get(kind)) for name in _SETS)) for kind in kinds]
    print_table(("Judged rightly", *(f"{name} ({counts[name]})" for name in _SETS)), rows)
    console.print(f"The threshold is {calibration.with_tokens.threshold:.2f}.")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"
