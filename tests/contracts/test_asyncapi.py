"""docs/asyncapi.json is what the contracts say."""

from __future__ import annotations

import json
from pathlib import Path

from skillnet_common.messaging.asyncapi import asyncapi, render

COMMITTED = Path(__file__).parent.parent.parent / "docs" / "asyncapi.json"


def test_the_committed_document_is_current() -> None:
    hint = "run: .venv/bin/python -m skillnet_common.messaging.asyncapi > docs/asyncapi.json"
    assert COMMITTED.read_text(encoding="utf-8") == render(), hint


def test_every_reference_resolves() -> None:
    document = asyncapi()

    def references(node: object) -> list[str]:
        if isinstance(node, dict):
            own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
            return own + [ref for value in node.values() for ref in references(value)]
        return [ref for item in node for ref in references(item)] if isinstance(node, list) else []

    found = references(document)
    assert len(found) > 20
    for reference in found:
        node: object = document
        for part in reference.removeprefix("#/").split("/"):
            assert isinstance(node, dict), reference
            node = node[part]
    assert json.dumps(document)
