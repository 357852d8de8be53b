"""Learning from questions when what was found can carry an answer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from skillnet_client import SkillnetClient
from skillnet_common.calibration import WITH_TOKENS, WITHOUT_TOKENS, Calibration, Figure, Judge, Weight, figures_of
from skillnet_common.contracts.retrieval import Evidence, Filters, GroundRequest, Strategy
from skillnet_evaluation.corpus import LoadedCorpus, OnProgress
from skillnet_evaluation.questions import MISSPELT, Dataset, Question

_SMALL_SCOPE = 5
_RIDGE = 1.0
_STEPS = 100
_TOO_FEW = 20

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """What a question found in a scope, and whether its answer stands there. `kind` says what sort of case it is."""

    evidence: Evidence
    answerable: bool
    kind: str


class TooFewCases(ValueError):
    """Questions with and without an answer are both needed, some of each."""


def collect(
    client: SkillnetClient,
    dataset: Dataset,
    corpus: LoadedCorpus,
    strangers: Sequence[Question],
    on_progress: OnProgress,
) -> list[Case]:
    """Asks every question of all documents, and, where each question has one document that answers it, of a few with
    and without it; `strangers`, the questions of other documents, are asked of all documents. Misspelt questions are
    left out: what they find says more of the errors than of the scope."""
    ids = {key: document_id for document_id, key in corpus.keys.items()}
    draw = random.Random(0)  # noqa: S311 - the same scopes each time
    asked = [(question, _scopes(dataset, question, ids, draw)) for question in _known(dataset.questions)]
    asked += [(question, [_Scope(None, False, "stranger")]) for question in _known(strangers)]
    cases: list[Case] = []
    for number, (question, scopes) in enumerate(asked, start=1):
        for scope in scopes:
            cases.append(
                Case(_evidence(client, question, scope.documents), scope.answers, f"{dataset.name}: {scope.kind}")
            )
        on_progress("Asking", number, len(asked))
    return cases


@dataclass(frozen=True, slots=True)
class _Scope:
    """Documents to ask (None: all), whether the answer is there, and the kind of case."""

    documents: list[UUID] | None
    answers: bool
    kind: str


def _known(questions: Sequence[Question]) -> list[Question]:
    return [question for question in questions if MISSPELT not in question.slices]


def _scopes(dataset: Dataset, question: Question, ids: dict[str, UUID], draw: random.Random) -> list[_Scope]:
    if not question.is_answerable:
        return [_Scope(None, False, question.kind or "unanswerable")]
    scopes = [_Scope(None, True, "answerable")]
    own = sorted({ids[answer.document] for answer in question.answers}, key=str)
    others = sorted(set(ids.values()) - set(own), key=str)
    # Manuals of one company say the same in several places: only elsewhere is a document left out an answer missing.
    if dataset.ranks_documents and len(others) >= _SMALL_SCOPE:
        few = draw.sample(others, _SMALL_SCOPE)
        scopes += [_Scope([*own, *few[len(own) :]], True, "answerable"), _Scope(few, False, "elsewhere")]
    return scopes


def _evidence(client: SkillnetClient, question: Question, scope: list[UUID] | None) -> Evidence:
    reply = client.ground(
        GroundRequest(
            query=question.text,
            earlier=list(question.earlier),
            filters=Filters(document_ids=scope),
            strategy=Strategy.HYBRID,
            allow_document=False,
        )
    )
    return reply.evidence


def fit(cases: Sequence[Case], *, most_refused: float) -> Calibration:
    """The judges that part the cases best; of those that can be answered at most `most_refused` are refused.

    Raises TooFewCases.
    """
    return Calibration(
        with_tokens=_judge(cases, WITH_TOKENS, most_refused),
        without_tokens=_judge(cases, WITHOUT_TOKENS, most_refused),
    )


def rates(cases: Sequence[Case], calibration: Calibration) -> dict[str, float]:
    """Of each kind of case the share that is judged rightly."""
    right: dict[str, list[bool]] = {}
    for case in cases:
        right.setdefault(case.kind, []).append(calibration.suffices(case.evidence) is case.answerable)
    return {kind: sum(verdicts) / len(verdicts) for kind, verdicts in sorted(right.items())}


def _judge(cases: Sequence[Case], names: Sequence[Figure], most_refused: float) -> Judge:
    """Ridge logistic regression by Newton's method over standardised figures; the threshold is the quantile of the
    answerable."""
    figures = [figures_of(case.evidence) for case in cases]
    having = [index for index, found in enumerate(figures) if set(names) <= found.keys()]
    labels = np.array([cases[index].answerable for index in having], float)
    if min(labels.sum(), len(labels) - labels.sum()) < _TOO_FEW:
        if names is WITH_TOKENS:  # of a deployment that keeps no tokens
            return _judge(cases, WITHOUT_TOKENS, most_refused)
        raise TooFewCases(f"fewer than {_TOO_FEW} cases with an answer, or without one")
    values = np.array([[figures[index][name] for name in names] for index in having])
    means, scales = values.mean(axis=0), values.std(axis=0)
    scales[scales < 1e-9] = 1.0
    shares = _shares([cases[index] for index in having])
    weights = _logistic((values - means) / scales, labels, shares)
    judge = Judge(
        intercept=float(weights[0]),
        weights={
            name: Weight(mean=float(mean), scale=float(scale), weight=float(weight))
            for name, mean, scale, weight in zip(names, means, scales, weights[1:], strict=True)
        },
    )
    answerable = [judge.probability(figures[index]) for index in having if cases[index].answerable]
    return judge.model_copy(update={"threshold": float(np.quantile(answerable, most_refused))})


def _shares(cases: Sequence[Case]) -> Floats:
    """What each case weighs: both answers the same, and within an answer every kind the same, however many cases it
    has, since those that are easily made are easily told."""
    sizes = Counter((case.answerable, case.kind) for case in cases)
    kinds = Counter(answerable for answerable, _ in sizes)
    weights = [1 / (sizes[case.answerable, case.kind] * kinds[case.answerable]) for case in cases]
    return np.array(weights) * len(cases) / 2


def _logistic(values: Floats, labels: Floats, shares: Floats) -> Floats:
    design = np.column_stack([np.ones(len(values)), values])
    ridge = _RIDGE * np.eye(design.shape[1])
    ridge[0, 0] = 1e-9  # the intercept is free
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        probability = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (shares * (probability - labels)) + ridge @ weights
        curvature = (design * (shares * probability * (1 - probability))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return np.asarray(weights, np.float64)
