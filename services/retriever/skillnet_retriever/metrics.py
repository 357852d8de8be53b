"""What the retriever counts."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)

REQUEST_SECONDS = Histogram(
    "skillnet_retriever_request_seconds", "Time from request to reply", ["operation"], buckets=_BUCKETS
)
SEARCH_SECONDS = Histogram(
    "skillnet_retriever_search_seconds", "Time of the search statement", ["leg"], buckets=_BUCKETS
)
ENCODE_SECONDS = Histogram(
    "skillnet_retriever_encode_seconds", "Time to embed a question that was not cached", buckets=_BUCKETS
)
CACHED_QUESTIONS = Counter(
    "skillnet_retriever_questions_total", "Questions by where their vector came from", ["source"]
)
RUNGS = Counter("skillnet_retriever_rungs_total", "Replies of `ground` by rung", ["rung"])
RERANKS = Counter("skillnet_retriever_reranks", "Questions whose passages were given to the reranker.", ["outcome"])
