"""Metrics that every worker has."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

WORK = Counter("skillnet_work_total", "Pieces of work by how they ended", ["stage", "outcome"])
WORK_SECONDS = Histogram(
    "skillnet_work_seconds",
    "Time from claim to end",
    ["stage"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300),
)
