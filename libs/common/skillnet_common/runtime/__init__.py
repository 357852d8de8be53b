"""What every process does the same way: logging, signals, health, metrics, draining."""

from skillnet_common.runtime.entry import entry_point
from skillnet_common.runtime.service import Service, run_service
from skillnet_common.runtime.worker import StageWorker

__all__ = ["Service", "StageWorker", "entry_point", "run_service"]
