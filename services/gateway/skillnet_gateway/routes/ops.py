"""Health and metrics, for those who run the service."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest

from skillnet_common.runtime.ops import why_not_ready
from skillnet_gateway.gateway import TheGateway

router = APIRouter(tags=["operations"])


@router.get("/livez", summary="The process answers")
async def livez() -> dict[str, str]:
    """Asks nobody: a lost server is no reason for a restart."""
    return {"status": "alive"}


@router.get("/readyz", summary="The process can serve", responses={503: {"description": "It cannot, and why."}})
async def readyz(gateway: TheGateway) -> JSONResponse:
    """Asks the database and the bus."""
    reason = await why_not_ready(gateway.check_ready)
    if reason is None:
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready", "reason": reason}, 503)


@router.get("/metrics", summary="Prometheus metrics", response_class=Response)
async def metrics() -> Response:
    """In the text format."""
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)
