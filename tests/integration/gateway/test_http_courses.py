"""Courses over HTTP: put whole, replaced in one piece, shown to whom they are for."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx
import pytest

from skillnet_common.auth import new_key, store_key
from skillnet_common.contracts.courses import MAX_COURSE_BYTES
from skillnet_common.database import Database
from skillnet_common.versions import document_id_for

from .conftest import RunningGateway


def lesson(lesson_id: str, title: str = "Devolver", content: str = "El plazo es de 30 días.", **more: Any) -> Any:
    return {"lesson_id": lesson_id, "title": title, "content": content, **more}


def course(*lessons: Any, title: str = "Acogida", **more: Any) -> dict[str, Any]:
    module = {"module_id": "m1", "title": "Caja", "summary": "Cobrar y devolver.", "lessons": list(lessons)}
    return {"title": title, "modules": [module], **more}


async def put(client: httpx.AsyncClient, body: dict[str, Any], course_id: str = "acogida") -> dict[str, Any]:
    response = await client.put(f"/v1/courses/{course_id}", json=body)
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


async def upload(client: httpx.AsyncClient, key: str, **parameters: Any) -> str:
    response = await client.post("/v1/documents", params={"filename": key, **parameters}, content=b"Texto.")
    return str(response.json()["document_id"])


async def limited_client(gateway: RunningGateway, database: Database, org: UUID, *groups: str) -> httpx.AsyncClient:
    key = new_key()
    await store_key(database, org, key, name="limited", audience=groups)
    return gateway.client(key)


async def courses_of(client: httpx.AsyncClient, document_id: str) -> list[str]:
    courses: list[str] = (await client.get(f"/v1/documents/{document_id}")).json()["courses"]
    return courses


async def test_a_course_is_shown_as_it_was_put(client: httpx.AsyncClient) -> None:
    document = await upload(client, "manual.md")
    links = [{"document_id": document}]
    reply = await put(client, course(lesson("l1"), lesson("l2", content="", documents=links)))
    assert (reply["version"], reply["outcome"], reply["document_version"]) == (1, "created", 1)
    shown = (await client.get("/v1/courses/acogida")).json()
    assert (shown["title"], shown["module_count"], shown["lesson_count"]) == ("Acogida", 1, 2)
    assert shown["live_version"] is None
    (module,) = shown["modules"]
    assert [one["lesson_id"] for one in module["lessons"]] == ["l1", "l2"]
    assert module["lessons"][0]["content"] == "El plazo es de 30 días."
    assert module["lessons"][1]["documents"] == [document]


async def test_the_same_course_again_changes_nothing(client: httpx.AsyncClient) -> None:
    first = await put(client, course(lesson("l1")))
    again = await put(client, course(lesson("l1")))
    assert again == {**first, "outcome": "unchanged"}


async def test_a_replacement_leaves_nothing_of_the_old_tree(client: httpx.AsyncClient) -> None:
    await put(client, course(lesson("l1"), lesson("l2")))
    reply = await put(client, course(lesson("l3", title="Cobrar"), title="Caja"))
    assert (reply["version"], reply["outcome"], reply["document_version"]) == (2, "replaced", 2)
    shown = (await client.get("/v1/courses/acogida")).json()
    assert shown["title"] == "Caja"
    assert [one["lesson_id"] for one in shown["modules"][0]["lessons"]] == ["l3"]


async def test_other_ids_with_the_same_words_are_a_new_course_version_but_no_new_text(
    client: httpx.AsyncClient,
) -> None:
    await put(client, course(lesson("l1")))
    reply = await put(client, course(lesson("otra")))
    assert (reply["version"], reply["outcome"], reply["document_version"]) == (2, "replaced", 1)


async def test_puts_at_the_same_time_leave_one_whole_course(client: httpx.AsyncClient) -> None:
    bodies = [course(lesson(f"a{n}"), lesson(f"b{n}"), title=f"Curso {n}") for n in range(6)]
    replies = await asyncio.gather(*(put(client, body) for body in bodies))
    assert sorted(reply["version"] for reply in replies) == [1, 2, 3, 4, 5, 6]
    shown = (await client.get("/v1/courses/acogida")).json()
    number = shown["title"].removeprefix("Curso ")
    assert [one["lesson_id"] for one in shown["modules"][0]["lessons"]] == [f"a{number}", f"b{number}"]


async def test_lessons_bring_their_documents_into_the_course(client: httpx.AsyncClient) -> None:
    named = await upload(client, "nombrado.md", course_id="acogida")
    linked = await upload(client, "enlazado.md")
    links = [{"external_key": "nombrado.md"}, {"document_id": linked}]
    await put(client, course(lesson("l1", documents=links)))
    assert [await courses_of(client, one) for one in (named, linked)] == [["acogida"], ["acogida"]]
    await put(client, course(lesson("l1")))
    assert [await courses_of(client, one) for one in (named, linked)] == [["acogida"], []]


async def test_a_document_that_names_the_course_no_more_stays_while_a_lesson_points_at_it(
    client: httpx.AsyncClient,
) -> None:
    document = await upload(client, "manual.md", course_id="acogida")
    await put(client, course(lesson("l1", documents=[{"document_id": document}])))
    await client.patch(f"/v1/documents/{document}", json={"courses": []})
    assert await courses_of(client, document) == ["acogida"]
    await put(client, course(lesson("l1")))
    assert await courses_of(client, document) == []


async def test_a_lesson_cannot_point_at_what_the_key_does_not_see(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID, other_org: UUID
) -> None:
    secret = await upload(client, "secreto.md", audience="direccion")
    foreign = str(document_id_for(other_org, "upload", "manual.md"))
    async with await limited_client(gateway, database, org, "tienda") as limited:
        for document in (secret, foreign):
            body = course(lesson("l1", documents=[{"document_id": document}]))
            response = await limited.put("/v1/courses/acogida", json=body)
            assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
            assert response.json()["details"]["document_ids"] == [document]
    assert (await client.get("/v1/courses/acogida")).status_code == 404


async def test_another_organisation_neither_sees_nor_touches_the_course(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, other_org: UUID
) -> None:
    await put(client, course(lesson("l1")))
    key = new_key()
    await store_key(database, other_org, key, name="other")
    async with gateway.client(key) as other:
        assert (await other.get("/v1/courses/acogida")).status_code == 404
        assert (await other.get("/v1/courses")).json()["courses"] == []
        assert (await other.delete("/v1/courses/acogida")).status_code == 404
        assert (await put(other, course(lesson("suya"), title="Otra")))["outcome"] == "created"
    assert (await client.get("/v1/courses/acogida")).json()["title"] == "Acogida"


async def test_a_course_of_a_group_is_not_for_others(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    await put(client, course(lesson("l1"), audience=["direccion"]))
    async with await limited_client(gateway, database, org, "tienda") as limited:
        assert (await limited.get("/v1/courses/acogida")).status_code == 404
        assert (await limited.get("/v1/courses")).json()["courses"] == []
        assert (await limited.put("/v1/courses/acogida", json=course(lesson("l1")))).status_code == 403
        assert (await limited.delete("/v1/courses/acogida")).status_code == 404
        mine = await put(limited, course(lesson("l1")), "propio")
    assert (await client.get(f"/v1/documents/{mine['document_id']}")).json()["audience"] == ["tienda"]


async def test_a_limited_key_writes_to_courses_of_its_own_groups_alone(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    await put(client, course(lesson("l1")), "de-todos")
    await put(client, course(lesson("l1"), audience=["tienda", "obrador"]), "de-dos")
    named = {"filename": "a.md", "course_id": "nombrado", "audience": "direccion"}
    assert (await client.post("/v1/documents", params=named, content=b"# A\n\nTexto.")).is_success
    async with await limited_client(gateway, database, org, "tienda") as limited:
        for course_id in ("de-todos", "de-dos", "nombrado"):
            address = f"/v1/courses/{course_id}"
            replaced = await limited.put(address, json=course(lesson("l2"), audience=["tienda"]))
            assert (replaced.status_code, replaced.json()["code"]) == (403, "forbidden"), course_id
            assert (await limited.delete(address)).status_code in {403, 404}
        await put(limited, course(lesson("l1")), "propio")
        await put(limited, course(lesson("l2")), "propio")
        assert (await limited.delete("/v1/courses/propio")).status_code == 204
    found = (await client.get("/v1/courses")).json()["courses"]
    assert [one["course_id"] for one in found] == ["de-dos", "de-todos", "nombrado"]


async def test_a_hidden_courses_id_is_not_told(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    shared = await upload(client, "normas.md")
    await put(client, course(lesson("l1", documents=[{"document_id": shared}]), audience=["direccion"]), "secreto")
    address = f"/v1/documents/{shared}"
    assert (await client.get(address)).json()["courses"] == ["secreto"]
    async with await limited_client(gateway, database, org, "tienda") as limited:
        assert (await limited.get(address)).json()["courses"] == []
        for course_id in ("secreto", "ninguno"):
            found = (await limited.get("/v1/documents", params={"course_id": course_id})).json()
            assert found["documents"] == [], "a hidden course and none are alike"
    assert len((await client.get("/v1/documents", params={"course_id": "secreto"})).json()["documents"]) == 2


async def test_lists_go_by_id_and_name_courses_of_documents_too(client: httpx.AsyncClient) -> None:
    for course_id in ("c", "a"):
        await put(client, course(lesson("l1")), course_id)
    await upload(client, "manual.md", course_id="b")
    first = (await client.get("/v1/courses", params={"limit": 2})).json()
    assert [(one["course_id"], one["version"]) for one in first["courses"]] == [("a", 1), ("b", 0)]
    rest = (await client.get("/v1/courses", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert ([one["course_id"] for one in rest["courses"]], rest["next_cursor"]) == (["c"], None)
    bad = await client.get("/v1/courses", params={"cursor": "WzFd"})
    assert bad.json()["code"] == "invalid_request"


async def test_a_deleted_course_takes_its_words_along_and_leaves_documents(client: httpx.AsyncClient) -> None:
    document = await upload(client, "manual.md")
    reply = await put(client, course(lesson("l1", documents=[{"document_id": document}])))
    assert (await client.delete("/v1/courses/acogida")).status_code == 204
    assert (await client.delete("/v1/courses/acogida")).status_code == 404
    assert (await client.get(f"/v1/documents/{reply['document_id']}")).status_code == 404
    assert await courses_of(client, document) == []
    assert (await put(client, course(lesson("l1"))))["outcome"] == "created"


async def test_a_document_may_name_a_course_that_is_being_deleted(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    await put(client, course(lesson("l1")))
    async with database.tenant(org) as connection:
        await connection.execute("DELETE FROM courses WHERE course_id = 'acogida'")
        uploading = asyncio.create_task(upload(client, "manual.md", course_id="acogida"))
        async with asyncio.timeout(30):
            while not await connection.fetchval(_WAITING):  # noqa: ASYNC110 - another connection comes to wait
                await asyncio.sleep(0.01)
    assert await courses_of(client, await uploading) == ["acogida"]


async def test_a_courses_words_are_changed_with_the_course_alone(client: httpx.AsyncClient) -> None:
    document_id = (await put(client, course(lesson("l1"))))["document_id"]
    at = f"/v1/documents/{document_id}"
    for response in (
        await client.patch(at, json={"courses": []}),
        await client.delete(at),
        await client.put(f"{at}/content", content=b"otra cosa"),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "managed_by_course")
    parameters = {"filename": "x.md", "source": "course", "external_key": "acogida"}
    assert (await client.post("/v1/documents", params=parameters, content=b"x")).status_code == 422


@pytest.mark.parametrize("course_id", ["con espacio", "a/b", "ñandú?#", "c" * 200])
async def test_ids_may_hold_any_character(client: httpx.AsyncClient, course_id: str) -> None:
    quoted = f"/v1/courses/{quote(course_id, safe='')}"
    assert (await client.put(quoted, json=course(lesson("l1")))).json()["course_id"] == course_id
    assert (await client.get(quoted)).json()["course_id"] == course_id


_WAITING = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"
BAD: list[dict[str, Any]] = [
    {"title": "Acogida"},
    {"title": "Acogida", "modules": []},
    course(lesson("l1"), lesson("l1")),
    course(lesson("l1"), title="¿?"),
    course(lesson("l1", documents=[{}])),
    course(lesson("l1", documents=[{"document_id": str(UUID(int=1)), "external_key": "x"}])),
    course(lesson("l1", nota="?")),
    course(lesson("l1"), language="español"),
    {"title": "A", "modules": [{"module_id": "m", "title": "A"}, {"module_id": "m", "title": "B"}]},
]


@pytest.mark.parametrize("body", BAD, ids=range(len(BAD)))
async def test_a_course_that_is_none_is_refused(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    response = await client.put("/v1/courses/acogida", json=body)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


async def test_a_course_too_large_is_refused_before_it_is_read(client: httpx.AsyncClient) -> None:
    response = await client.put("/v1/courses/acogida", content=b" " * (MAX_COURSE_BYTES + 1))
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


async def test_a_reader_may_not_put(gateway: RunningGateway, database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="reader", scopes=["documents:read"])  # type: ignore[list-item]
    async with gateway.client(key) as reader:
        assert (await reader.put("/v1/courses/acogida", json=course(lesson("l1")))).status_code == 403
