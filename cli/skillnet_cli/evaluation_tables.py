"""The figures of an evaluation as tables for people."""

from __future__ import annotations

from typing import Any, TypeVar

from skillnet_cli.output import console, counted, escape, print_table
from skillnet_evaluation.evaluation import Evaluation
from skillnet_evaluation.reporting import ALWAYS, failures_of

T = TypeVar("T")

_SHOWN = (*ALWAYS, "citation_precision", "no_answer_accuracy")


def print_report(report: dict[str, Any]) -> None:
    """Configurations, the slices of the one that stands for the system, and a comparison where there is one."""
    console.print(
        f"{escape(report['dataset'])}: {counted(report['questions'], 'question')} over "
        f"{counted(report['documents'], 'document')}\n"
    )
    configurations = report["configurations"]
    print_table(
        ["", *_SHOWN, "p50 ms", "p95 ms"],
        [
            (name, *(_cell(found[figure]) for figure in _SHOWN), found["search_ms"]["p50"], found["search_ms"]["p95"])
            for name, found in configurations.items()
        ],
    )
    name, found = judged(configurations)
    if found["slices"]:
        console.print(f"\nSlices, {escape(name)}:")
        print_table(
            ["", "questions", *_SHOWN],
            [
                (slice_, own["questions"], *(_cell(own[figure]) for figure in _SHOWN))
                for slice_, own in found["slices"].items()
            ],
        )
    if "comparison" in report:
        _print_comparison(report["comparison"])


def _print_comparison(comparison: dict[str, Any]) -> None:
    first, second = comparison["first"], comparison["second"]
    console.print(f"\n{escape(second)} minus {escape(first)}, 95 % interval of the paired difference:")
    print_table(
        ["", "difference", "low", "high", f"{first} ahead", f"{second} ahead", "ties"],
        [
            (name, *(f"{v:+.4f}" if isinstance(v, float) else v for v in own.values()))
            for name, own in comparison["figures"].items()
        ],
    )


def print_failures(evaluation: Evaluation) -> None:
    """The questions that went wrong, each with the first passage it got."""
    name, outcomes = judged(evaluation.outcomes)
    console.print(f"\nWent wrong, {escape(name)}:")
    for outcome in failures_of(outcomes):
        first = outcome.first
        got = f"{first['document']} > {' > '.join(first['section_path'])} {first['pages']}" if first else "nothing"
        console.print(
            f"  {outcome.question.id}  {escape(outcome.question.text)}\n      first: {escape(got)}", soft_wrap=True
        )


def judged(configurations: dict[str, T]) -> tuple[str, T]:
    """The configuration that stands for the system: the default one, else the last."""
    name = "hybrid" if "hybrid" in configurations else list(configurations)[-1]
    return name, configurations[name]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
