"""What the routes work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from skillnet_common.auth import Authenticator
from skillnet_common.objects import Originals
from skillnet_common.runtime.ops import ReadyCheck
from skillnet_gateway.answering import Answering
from skillnet_gateway.bulk import BulkUploads
from skillnet_gateway.contents import Contents
from skillnet_gateway.courses import Courses
from skillnet_gateway.documents import Documents
from skillnet_gateway.keys import Keys
from skillnet_gateway.organizations import Organizations
from skillnet_gateway.progress import ProgressStreams
from skillnet_gateway.quarantine import Quarantine
from skillnet_gateway.reprocessing import Reprocessing
from skillnet_gateway.retrieval import Retrieval
from skillnet_gateway.uploads import Uploads
from skillnet_gateway.usage import UsageReports


@dataclass(frozen=True, slots=True)
class Gateway:
    """The collaborators of the HTTP API, put together by the composition root."""

    authenticator: Authenticator
    organizations: Organizations
    keys: Keys
    usage: UsageReports
    documents: Documents
    contents: Contents
    courses: Courses
    progress: ProgressStreams
    uploads: Uploads
    bulk: BulkUploads
    reprocessing: Reprocessing
    quarantine: Quarantine
    originals: Originals
    retrieval: Retrieval
    answering: Answering
    max_upload_bytes: int
    upload_idle_seconds: float
    heartbeat_seconds: float
    check_ready: ReadyCheck


async def _gateway_of(request: Request) -> Gateway:
    gateway: Gateway = request.app.state.gateway
    return gateway


TheGateway = Annotated[Gateway, Depends(_gateway_of)]
