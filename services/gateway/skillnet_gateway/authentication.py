"""Every address under `/v1` needs a key; what a route may be used for is said by its scope."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from skillnet_common.auth import Authenticator, Principal, Scope

API_PREFIX = "/v1"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and the credential to pass on to the retriever."""

    principal: Principal
    credential: str

    @property
    def authorization(self) -> str:
        """The header that the credential came in."""
        return f"Bearer {self.credential}"


class RequireKey:
    """ASGI middleware: verifies the key before anything of the request is read."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Passes a request on with its Caller in the state; RequestError `unauthorized` where the key is not good."""
        if scope["type"] == "http" and _needs_key(scope["path"]):
            authorization = Headers(scope=scope).get("authorization", "")
            principal = await self._authenticator.verify(authorization)
            credential = authorization.partition(" ")[2].strip()
            scope.setdefault("state", {})["caller"] = Caller(principal, credential)
        await self._app(scope, receive, send)


def _needs_key(path: str) -> bool:
    return path == API_PREFIX or path.startswith(f"{API_PREFIX}/")


def _caller_with(*scopes: Scope) -> Callable[[Request], Awaitable[Caller]]:
    async def require(request: Request) -> Caller:
        caller: Caller = request.state.caller
        for scope in scopes:
            caller.principal.require(scope)
        return caller

    return require


async def _admin_now(request: Request) -> Caller:
    """Looked up afresh: a key that was revoked a moment ago shall change nothing of the organisation."""
    caller: Caller = request.state.caller
    authenticator: Authenticator = request.app.state.gateway.authenticator
    principal = await authenticator.verify(caller.authorization, fresh=True)
    principal.require(Scope.ADMIN)
    return Caller(principal, caller.credential)


async def _any_caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


AnyCaller = Annotated[Caller, Depends(_any_caller)]
Reader = Annotated[Caller, Depends(_caller_with(Scope.READ))]
Writer = Annotated[Caller, Depends(_caller_with(Scope.WRITE))]
Admin = Annotated[Caller, Depends(_caller_with(Scope.ADMIN))]
ChangingAdmin = Annotated[Caller, Depends(_admin_now)]
"""For what an administrator changes."""
Editor = Annotated[Caller, Depends(_caller_with(Scope.WRITE, Scope.READ))]
"""For a change whose reply shows the whole of what was changed."""


key_scheme = Depends(HTTPBearer(auto_error=False, description="An API key of the organisation."))
"""Tells OpenAPI of the key; `RequireKey` is what verifies it."""
