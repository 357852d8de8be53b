"""What every process does the same way: logging, signals, health, metrics, draining."""

from skillnet_common.runtime.service import Service, run_service
from skillnet_common.runtime.worker import StageWorker

__all__ = ["Service", "StageWorker", "run_service"]
