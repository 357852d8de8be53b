"""Questions that are answered are counted, each as what it was asked for."""

from __future__ import annotations

from uuid import UUID

import pytest

from skillnet_common.auth import Authenticator, Scope, new_key, store_key
from skillnet_common.contracts import subjects
from skillnet_common.contracts.retrieval import ContextRequest, GroundRequest, SearchRequest
from skillnet_common.database import Database
from skillnet_common.errors import RequestError
from skillnet_common.messaging.requester import AUTHORIZATION_HEADER, PURPOSE_HEADER
from skillnet_common.usage import UsageMeter
from skillnet_retriever.handlers import request_handlers
from skillnet_retriever.retriever import Retriever


async def test_every_question_counts_once_as_what_it_was(database: Database, org: UUID, retriever: Retriever) -> None:
    key, writer = new_key(), new_key()
    await store_key(database, org, key, name="k", scopes=[Scope.READ])
    await store_key(database, org, writer, name="w", scopes=[Scope.WRITE])
    meter = UsageMeter(database)
    handlers = request_handlers(retriever, Authenticator(database), meter)
    headers = {AUTHORIZATION_HEADER: f"Bearer {key}"}
    search = SearchRequest(query="precio").model_dump_json().encode()
    context = ContextRequest(query="precio").model_dump_json().encode()
    ground = GroundRequest(query="precio").model_dump_json().encode()
    for subject, body, more in (
        (subjects.SEARCH, search, {}),
        (subjects.SEARCH, search, {PURPOSE_HEADER: "ask"}),
        (subjects.CONTEXT, context, {}),
        (subjects.GROUND, ground, {}),
        (subjects.GROUND, ground, {PURPOSE_HEADER: "pages_parsed"}),
        (subjects.GROUND, ground, {PURPOSE_HEADER: "ask"}),
    ):
        await handlers[subject](body, headers | more)
    for refused in ({AUTHORIZATION_HEADER: f"Bearer {writer}"}, {}):
        with pytest.raises(RequestError):
            await handlers[subjects.SEARCH](search, refused)
    with pytest.raises(RequestError):
        await handlers[subjects.SEARCH](b'{"query": "?"}', headers)
    await meter.flush()
    async with database.tenant(org) as connection:
        rows = await connection.fetch("SELECT kind, sum(amount)::int AS n FROM usage_counts GROUP BY kind")
    assert {row["kind"]: row["n"] for row in rows} == {"search": 2, "context": 1, "ground": 2, "ask": 1}
