"""The AsyncAPI document, generated from the contracts: `python -m skillnet_common.messaging.asyncapi`."""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from skillnet_common.contracts import courses, events, outlines, retrieval, subjects, work
from skillnet_common.messaging.requester import AUTHORIZATION_HEADER
from skillnet_common.messaging.responder import ERROR_HEADER

_WORK = {
    "document.uploaded.{org}": "A version waits to be parsed.",
    "document.parsed.{org}": "A version waits to be chunked.",
    "document.chunked.{model}.{org}": "A batch of chunks waits to be embedded.",
}
_EVENTS: dict[str, type[BaseModel]] = {
    f"{event.name}.{{org}}.{{{event.about}}}": event.model for event in events.EVENT_TYPES
}
_REQUESTS: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    subjects.SEARCH: (retrieval.SearchRequest, retrieval.SearchReply),
    subjects.CONTEXT: (retrieval.ContextRequest, retrieval.ContextReply),
    subjects.GROUND: (retrieval.GroundRequest, retrieval.GroundReply),
    subjects.OUTLINE: (outlines.OutlineRequest, outlines.OutlineReply),
    subjects.COURSE_UPSERT: (courses.CourseUpsert, courses.CourseReply),
    subjects.COURSE_DELETE: (courses.CourseDeletion, courses.CourseDeleted),
}
_CLOUDEVENT_HEADERS = ("ce-specversion", "ce-id", "ce-source", "ce-type", "ce-subject", "ce-time")


def asyncapi() -> dict[str, Any]:
    """The document, AsyncAPI 3.0."""
    models: list[type[BaseModel]] = [work.WorkMessage, *_EVENTS.values(), retrieval.ErrorReply]
    models += [model for pair in _REQUESTS.values() for model in pair]
    _, schemas = models_json_schema(
        [(model, "serialization") for model in models], ref_template="#/components/schemas/{model}"
    )
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for address, summary in _WORK.items():
        _add_channel(channels, address, [work.WorkMessage], summary)
        operations[f"do {address.split('.')[1]}"] = _operation("receive", address, summary)
    for address, model in _EVENTS.items():
        summary = _first_line(model)
        _add_channel(channels, address, [model], summary)
        operations[f"hear {address.split('.{')[0]}"] = _operation("receive", address, summary)
    for address, (asked, replied) in _REQUESTS.items():
        _add_channel(channels, address, [asked, replied, retrieval.ErrorReply], _first_line(asked))
        operations[f"ask {address}"] = _operation("send", address, _first_line(asked)) | {
            "reply": {"address": {"location": "$message.header#/reply-to"}}
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "SkillNet retrieval",
            "version": "1.0.0",
            "description": (
                "Events are CloudEvents 1.0 in binary mode, delivered at least once with a stable `ce-id`, in order"
                " per document, and kept for days so that a new subscriber can replay them."
                f" Requests carry `{AUTHORIZATION_HEADER}: Bearer <key>`;"
                f" a reply with the header `{ERROR_HEADER}` is an ErrorReply."
            ),
        },
        "channels": channels,
        "operations": operations,
        "components": {"schemas": schemas["$defs"], "messages": {m.__name__: _message(m) for m in models}},
    }


def render() -> str:
    """The document as it stands in docs/asyncapi.json."""
    return json.dumps(asyncapi(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _add_channel(channels: dict[str, Any], address: str, models: list[type[BaseModel]], summary: str) -> None:
    parameters = [part[1:-1] for part in address.split(".") if part.startswith("{")]
    channels[address] = {
        "address": address,
        "summary": summary,
        "messages": {m.__name__: {"$ref": f"#/components/messages/{m.__name__}"} for m in models},
    } | ({"parameters": {name: {} for name in parameters}} if parameters else {})


def _operation(action: str, address: str, summary: str) -> dict[str, Any]:
    pointer = address.replace("~", "~0").replace("/", "~1")
    return {"action": action, "channel": {"$ref": f"#/channels/{pointer}"}, "summary": summary}


def _message(model: type[BaseModel]) -> dict[str, Any]:
    message: dict[str, Any] = {
        "contentType": "application/json",
        "payload": {"$ref": f"#/components/schemas/{model.__name__}"},
    }
    if model in _EVENTS.values():
        message["headers"] = {
            "type": "object",
            "properties": {name: {"type": "string"} for name in _CLOUDEVENT_HEADERS},
            "required": list(_CLOUDEVENT_HEADERS),
        }
    return message


def _first_line(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().splitlines()[0].replace("`", "")


if __name__ == "__main__":
    sys.stdout.write(render())
