"""Metrics of the dispatcher. The gauges speak of the whole deployment and are set by the leader only."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

LEADER = Gauge("skillnet_dispatcher_leader", "1 in the process that leads")
LOOP_FAILURES = Counter("skillnet_dispatcher_loop_failures_total", "Steps that ended with an error", ["loop"])
RELEASED = Counter("skillnet_work_released_total", "Pieces of work put on the bus", ["stage"])
RECOVERED = Counter("skillnet_work_recovered_total", "Pieces of work found lost, by how", ["reason"])
EVENTS_SENT = Counter("skillnet_events_sent_total", "Events published", ["type"])
CLEANED = Counter("skillnet_cleaned_total", "What the clean-up removed or moved", ["what"])

QUEUE_ROWS = Gauge("skillnet_queue_rows", "Work that has not ended", ["stage", "state"])
QUEUE_OLDEST = Gauge("skillnet_queue_oldest_seconds", "How long the oldest waiting work has been due", ["stage"])
OUTBOX_ROWS = Gauge("skillnet_outbox_unsent", "Events not yet published")
OUTBOX_LAG = Gauge("skillnet_outbox_lag_seconds", "Age of the oldest event not yet published")
VERSIONS_STALLED = Gauge("skillnet_versions_stalled", "Versions under way for which no work is left: a fault")
