"""Answers put together from the sources' own sentences, and the check of citations in an LLM's answer. Pure."""

from skillnet_common.answers.citations import CheckedAnswer, Unsupported, check_citations
from skillnet_common.answers.extractive import extractive_answer

__all__ = ["CheckedAnswer", "Unsupported", "check_citations", "extractive_answer"]
