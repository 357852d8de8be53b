"""CloudEvents 1.0 over NATS in binary mode: attributes in headers, the payload as the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from uuid import UUID

SOURCE = "urn:skillnet:retrieval"


def cloudevent_headers(*, event_id: UUID, type: str, org_id: UUID, payload: Mapping[str, Any]) -> dict[str, str]:
    """The headers of an event; its id is also the message's, so that the stream drops what comes twice.

    Values are percent-encoded as the NATS binding asks for what is not ASCII.
    """
    attributes = {
        "specversion": "1.0",
        "id": str(event_id),
        "source": f"{SOURCE}:{org_id}",
        "type": type,
        "subject": _subject(payload),
        "time": payload.get("occurred_at"),
    }
    headers = {f"ce-{name}": quote(value, safe=_PRINTABLE) for name, value in attributes.items() if value}
    return {"Nats-Msg-Id": str(event_id), **headers, "content-type": "application/json"}


# Every printable ASCII character but space, quote and percent.
_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"%')


def _subject(payload: Mapping[str, Any]) -> str | None:
    """What the event is about: the course, else the document."""
    about = payload.get("course_id") or payload.get("document_id")
    return str(about) if about else None
