"""Answers put together from the sources' own sentences, and the check of citations in an LLM's answer. Pure."""

from skillnet_common.answers.citations import CheckedAnswer, Unsupported, check_citations
from skillnet_common.answers.extractive import extractive_answer
from skillnet_common.answers.watching import CitationWatch

__all__ = ["CheckedAnswer", "CitationWatch", "Unsupported", "check_citations", "extractive_answer"]
