"""Examples of replies for the API's description: models, so that they cannot part from what is replied."""

from __future__ import annotations

from typing import Any

from skillnet_gateway.examples.account import ACCOUNT
from skillnet_gateway.examples.courses import COURSES
from skillnet_gateway.examples.documents import DOCUMENTS
from skillnet_gateway.examples.questions import QUESTIONS

REPLIES = {type(example).__name__: example for example in (*DOCUMENTS, *COURSES, *QUESTIONS, *ACCOUNT)}
"""One a model, by its name in the description."""


def add_reply_examples(description: dict[str, Any]) -> None:
    """Gives every reply in JSON the example of its model, unless the route has one of its own."""
    for operations in description["paths"].values():
        for operation in operations.values():
            for status, reply in operation["responses"].items():
                content = reply.get("content", {}).get("application/json")
                if content is None or not status.startswith("2"):
                    continue
                example = REPLIES.get(content.get("schema", {}).get("$ref", "").rpartition("/")[2])
                if example is not None:
                    content.setdefault("example", example.model_dump(mode="json"))
