"""`retrieval.v1.outline` as the bus hands it on: the credential decides what is shown."""

from __future__ import annotations

from uuid import UUID

import pytest
from tests.integration.courses.conftest import COURSE, Platform, shop_course

from skillnet_common.auth import Authenticator, new_key, store_key
from skillnet_common.contracts import subjects
from skillnet_common.contracts.outlines import OutlineReply, OutlineRequest
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.usage import open_meter
from skillnet_retriever.handlers import request_handlers

REQUEST = OutlineRequest(filters=Filters(course_id=COURSE)).model_dump_json().encode()


async def show(platform: Platform, database: Database, key: str) -> OutlineReply:
    async with open_meter(database) as meter:
        handlers = request_handlers(platform.retriever, Authenticator(database), meter)
        reply = await handlers[subjects.OUTLINE](REQUEST, {"Authorization": f"Bearer {key}"})
    assert isinstance(reply, OutlineReply)
    return reply


async def test_the_tenant_and_the_groups_are_the_credentials(
    platform: Platform, database: Database, org: UUID, other_org: UUID, api_key: str
) -> None:
    await platform.put(shop_course().model_copy(update={"audience": ["direccion"]}))
    outsider, stranger = new_key(), new_key()
    await store_key(database, org, outsider, name="outsider", audience=["tienda"])
    await store_key(database, other_org, stranger, name="stranger")
    shown = await show(platform, database, api_key)
    assert [part.path for part in shown.parts] == [[], ["Caja"], ["Almacén"], ["Clientes"]]
    assert shown.parts[1].opening == "Abrir y cerrar la caja."
    for key in (outsider, stranger):
        assert (await show(platform, database, key)).parts == []
    with pytest.raises(RequestError) as caught:
        await show(platform, database, "sk_nobody")
    assert caught.value.code is ErrorCode.UNAUTHORIZED
