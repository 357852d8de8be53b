"""One call on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from skillnet_client.content import UploadContent
from skillnet_client.errors import SkillnetApiError
from skillnet_common.errors import ErrorCode

Params = list[tuple[str, str | int | float | bool | None]]


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One call. `repeatable`: sending it twice does no more than sending it once."""

    method: str
    path: str
    params: Params = field(default_factory=list)
    json: str | None = None
    content: UploadContent | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True


def authorization_of(api_key: str) -> str:
    """The header that carries the key. Raises SkillnetApiError `unauthorized` for what can be no key."""
    if not api_key.isascii() or not api_key.isprintable():
        raise SkillnetApiError(
            ErrorCode.UNAUTHORIZED, None, "The API key holds characters that no key has: was it copied whole?"
        )
    return f"Bearer {api_key}"


def headers_of(request: ApiRequest) -> dict[str, str]:
    """The call's headers, with the length of a file now: it may be refused before it is sent."""
    headers = dict(request.headers)
    if request.json is not None:
        headers["Content-Type"] = "application/json"
    if request.content is not None:
        headers["Content-Length"] = str(request.content.size)
    return headers


def post(path: str, body: BaseModel, *, repeatable: bool = True) -> ApiRequest:
    """A call with a model as its body, of which only what was set is sent."""
    return ApiRequest("POST", path, json=body.model_dump_json(exclude_unset=True), repeatable=repeatable)
