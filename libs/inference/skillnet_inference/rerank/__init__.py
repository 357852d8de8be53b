"""Rerankers: a question and each passage read together, by a cross-encoder here or behind an API."""
