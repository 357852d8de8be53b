"""CloudEvents 1.0 in binary mode."""

from __future__ import annotations

from uuid import UUID

from skillnet_dispatcher.domain.cloudevent import cloudevent_headers

EVENT, ORG, DOCUMENT = UUID(int=1), UUID(int=2), UUID(int=3)


def test_required_attributes_and_the_message_id() -> None:
    headers = cloudevent_headers(
        event_id=EVENT,
        type="document.updated",
        org_id=ORG,
        payload={"document_id": str(DOCUMENT), "occurred_at": "2026-11-30T10:00:00Z"},
    )
    assert headers == {
        "Nats-Msg-Id": str(EVENT),
        "ce-specversion": "1.0",
        "ce-id": str(EVENT),
        "ce-source": f"urn:skillnet:retrieval:{ORG}",
        "ce-type": "document.updated",
        "ce-subject": str(DOCUMENT),
        "ce-time": "2026-11-30T10:00:00Z",
        "content-type": "application/json",
    }


def test_what_is_not_ascii_is_percent_encoded() -> None:
    payload = {"course_id": 'Acogida "2026" ñ 100%\r\nX: y', "document_id": str(DOCUMENT)}
    headers = cloudevent_headers(event_id=EVENT, type="course.review_requested", org_id=ORG, payload=payload)
    assert headers["ce-subject"] == "Acogida%20%222026%22%20%C3%B1%20100%25%0D%0AX:%20y"


def test_attributes_without_a_value_are_left_out() -> None:
    headers = cloudevent_headers(event_id=EVENT, type="model.switched", org_id=ORG, payload={})
    assert "ce-subject" not in headers
    assert "ce-time" not in headers
