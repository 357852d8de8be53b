"""A typed client of SkillNet's HTTP API, synchronous and asynchronous."""

from skillnet_client.aio import AsyncSkillnetClient
from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import DocumentFilters, UploadOptions
from skillnet_client.retries import RetryPolicy
from skillnet_client.sync import SkillnetClient

__all__ = [
    "AsyncSkillnetClient",
    "DocumentFilters",
    "RetryPolicy",
    "SkillnetApiError",
    "SkillnetClient",
    "UploadOptions",
]
