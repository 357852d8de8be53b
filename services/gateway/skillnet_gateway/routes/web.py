"""The web page: one file, without a build step and without anything from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

web_router = APIRouter(include_in_schema=False)

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@web_router.get("/")
async def page() -> HTMLResponse:
    """Its policy lets no script run but its own."""
    html = _html()
    return HTMLResponse(html, headers={"Content-Security-Policy": _policy(html), "Referrer-Policy": "no-referrer"})


@cache
def _html() -> str:
    return resources.files("skillnet_gateway.web").joinpath("index.html").read_text(encoding="utf-8")


@cache
def _policy(html: str) -> str:
    """Only the page's own script and style may run, known by their hashes."""
    hashes: dict[str, str] = {}
    for kind, text in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        hashes[kind] = f"'sha256-{digest}'"
    return (
        f"default-src 'none'; script-src {hashes['script']}; style-src {hashes['style']}; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
