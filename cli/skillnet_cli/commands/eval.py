"""`skillnet eval`: how well passages are found, measured through the running services."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from skillnet_cli.evaluation_stack import data_folder, key_of
from skillnet_cli.evaluation_tables import judged, print_failures, print_report
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.output import AsJson, print_json, progress_console
from skillnet_cli.stack import open_stack
from skillnet_cli.target import Target, find_target
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_evaluation.configurations import BUILT_IN, Configuration, read_configuration
from skillnet_evaluation.datasets import read_beir, read_golden, read_paged, read_squad, with_distractors
from skillnet_evaluation.evaluation import Evaluation, evaluate
from skillnet_evaluation.questions import Dataset
from skillnet_evaluation.reporting import details_of

_GOLDEN = Path("examples/questions.jsonl")


@reports_errors
def eval_(
    questions: Annotated[
        Path | None, typer.Argument(help="Golden questions, one JSON object a line.", show_default=str(_GOLDEN))
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="The folder of documents asked about.", show_default="documents beside them")
    ] = None,
    squad: Annotated[Path | None, typer.Option(help="A file of SQuAD's format instead.")] = None,
    questions_from: Annotated[
        Path | None, typer.Option(help="With --squad: the file whose questions are asked, in another language.")
    ] = None,
    beir: Annotated[Path | None, typer.Option(help="A folder of BEIR's form instead.")] = None,
    jsonl: Annotated[Path | None, typer.Option(help="Questions with a document and a page instead.")] = None,
    split: Annotated[str | None, typer.Option(help="Golden: calibration or test; BEIR: its own.")] = None,
    distractors: Annotated[Path | None, typer.Option(help="Texts to add that answer nothing.")] = None,
    distractor_count: Annotated[int, typer.Option(min=1, help="How many passages of them.")] = 1_000,
    config: Annotated[
        list[Path] | None, typer.Option(help="A TOML file of search fields to measure too; repeatable.")
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None, typer.Option(metavar="A.toml B.toml", help="Only these two, and B against A.")
    ] = None,
    answers: Annotated[
        bool | None,
        typer.Option(help="Ask for answers too, and judge their citations.", show_default="where pages are known"),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Keep the stack's data here, so that the next run embeds nothing again.")
    ] = None,
    remote: Annotated[
        bool, typer.Option("--remote", help="Measure the deployment that other commands speak to, not a new stack.")
    ] = False,
    url: Annotated[str | None, typer.Option(help="Measure the deployment at this address, with --api-key.")] = None,
    api_key: Annotated[
        str | None, typer.Option(envvar="SKILLNET_API_KEY", help="A key of an organisation that holds nothing else.")
    ] = None,
    details: Annotated[Path | None, typer.Option(help="Write a JSON line for each question asked.")] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List the questions that went wrong.")] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Exit 1 where hybrid (or the last one) is below; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well passages are found; docs/evaluation.md says what the figures mean."""
    limits = [_limit(text) for text in fail_under or ()]
    dataset = _dataset(questions, documents, squad, questions_from, beir, jsonl, split)
    if distractors is not None:
        dataset = with_distractors(dataset, distractors, distractor_count)
    configurations = (
        [read_configuration(path) for path in compare]
        if compare
        else [*BUILT_IN, *(read_configuration(path) for path in config or ())]
    )
    _require_distinct(configurations)
    wanted = answers if answers is not None else not dataset.ranks_documents
    deployment = _deployment(url, api_key, remote=remote)
    evaluation = _run(dataset, configurations, data=data, deployment=deployment, answers=wanted)
    report = evaluation.report(compared=compare is not None)
    if details is not None:
        _write_details(details, evaluation)
    if as_json:
        print_json(report)
    else:
        print_report(report)
        if failures:
            print_failures(evaluation)
    _enforce(report["configurations"], limits)


def _dataset(
    questions: Path | None,
    documents: Path | None,
    squad: Path | None,
    questions_from: Path | None,
    beir: Path | None,
    jsonl: Path | None,
    split: str | None,
) -> Dataset:
    if sum(path is not None for path in (questions, squad, beir, jsonl)) > 1:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Give one dataset: a golden file, --squad, --beir or --jsonl.")
    if squad is not None:
        return read_squad(squad, questions_from)
    if beir is not None:
        return read_beir(beir, split=split or "test")
    if jsonl is not None:
        return read_paged(jsonl, documents or jsonl.parent)
    golden = questions or _GOLDEN
    return read_golden(golden, documents or golden.parent / "documents", split=split)


def _require_distinct(configurations: list[Configuration]) -> None:
    names = [configuration.name for configuration in configurations]
    if len(set(names)) < len(names):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Two configurations have one name: set `name`.")


def _deployment(url: str | None, api_key: str | None, *, remote: bool) -> Target | None:
    """The deployment to measure; None: a stack of its own. No environment alone sends documents elsewhere."""
    if url is None:
        return find_target(None) if remote else None
    if api_key is None:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Give --api-key (or SKILLNET_API_KEY) with --url.")
    return Target(url, api_key)


def _run(
    dataset: Dataset,
    configurations: list[Configuration],
    *,
    data: Path | None,
    deployment: Target | None,
    answers: bool,
) -> Evaluation:
    if deployment is not None:
        return _evaluate(deployment, dataset, configurations, answers=answers)
    with data_folder(data) as folder:
        return asyncio.run(_on_own_stack(folder, dataset, configurations, answers=answers, fast=data is None))


async def _on_own_stack(
    folder: Path, dataset: Dataset, configurations: list[Configuration], *, answers: bool, fast: bool
) -> Evaluation:
    async with open_stack(folder, fast=fast) as stack:
        key = await key_of(dataset, stack.state.environment["DATABASE_URL"])
        target = Target(stack.address, key)
        return await asyncio.to_thread(_evaluate, target, dataset, configurations, answers=answers)


def _evaluate(target: Target, dataset: Dataset, configurations: list[Configuration], *, answers: bool) -> Evaluation:
    with target.client() as client, Progress(console=progress_console, transient=True) as progress:
        task = progress.add_task("Starting", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        return evaluate(client, dataset, configurations, answers=answers, on_progress=tell)


def _write_details(path: Path, evaluation: Evaluation) -> None:
    with path.open("w", encoding="utf-8") as file:
        for name, outcomes in evaluation.outcomes.items():
            for line in details_of(name, outcomes):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _limit(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError as error:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"--fail-under {text!r} is not NAME=VALUE.") from error


def _enforce(configurations: dict[str, Any], limits: list[tuple[str, float]]) -> None:
    _, found = judged(configurations)
    for name, least in limits:
        value = found.get(name)
        if not isinstance(value, float):
            raise SkillnetError(ErrorCode.INVALID_REQUEST, f"There is no figure {name!r} to hold to a limit.")
        if value < least:
            progress_console.print(f"{name} is {value:.4f}, below {least}")
            raise typer.Exit(Exit.FAILED)
