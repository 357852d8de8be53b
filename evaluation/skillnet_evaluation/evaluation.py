"""The whole of it: a dataset's documents go in, every configuration is asked every question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from skillnet_client import SkillnetClient
from skillnet_evaluation.asking import Outcome, ask
from skillnet_evaluation.configurations import Configuration
from skillnet_evaluation.corpus import OnProgress, load
from skillnet_evaluation.questions import Dataset
from skillnet_evaluation.reporting import comparison_of, figures_of


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Outcomes by configuration, in the order of the dataset's questions."""

    dataset: Dataset
    outcomes: dict[str, list[Outcome]]

    def report(self, *, compared: bool = False) -> dict[str, Any]:
        """The figures as one object. `compared`: also the second configuration against the first."""
        report: dict[str, Any] = {
            "dataset": self.dataset.name,
            "questions": len(self.dataset.questions),
            "documents": len(self.dataset.documents),
            "configurations": {name: figures_of(outcomes) for name, outcomes in self.outcomes.items()},
        }
        if compared:
            (first, before), (second, after) = list(self.outcomes.items())[:2]
            report["comparison"] = {"first": first, "second": second, "figures": comparison_of(before, after)}
        return report


def evaluate(
    client: SkillnetClient,
    dataset: Dataset,
    configurations: Sequence[Configuration],
    *,
    answers: bool,
    on_progress: OnProgress,
) -> Evaluation:
    """Runs the dataset against the deployment that `client` speaks to, in its key's organisation."""
    corpus = load(client, dataset, on_progress)
    outcomes: dict[str, list[Outcome]] = {configuration.name: [] for configuration in configurations}
    for number, question in enumerate(dataset.questions, start=1):
        asked = ask(client, dataset, corpus, configurations, question, answers=answers)
        for own, outcome in zip(outcomes.values(), asked, strict=True):
            own.append(outcome)
        on_progress("Asking", number, len(dataset.questions))
    return Evaluation(dataset, outcomes)
