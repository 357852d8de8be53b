"""Questions and documents from files of several forms. A file that does not have its form is a `DatasetError`."""

from skillnet_evaluation.datasets.beir import read_beir
from skillnet_evaluation.datasets.distractors import with_distractors
from skillnet_evaluation.datasets.faults import DatasetError
from skillnet_evaluation.datasets.golden import read_golden
from skillnet_evaluation.datasets.paged import read_paged
from skillnet_evaluation.datasets.squad import read_squad

__all__ = ["DatasetError", "read_beir", "read_golden", "read_paged", "read_squad", "with_distractors"]
