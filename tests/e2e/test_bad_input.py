"""Bad input gets a clear error with a stable code, leaves nothing half-written and touches no live version."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

import httpx
import pytest

from skillnet_client import SkillnetApiError, UploadOptions
from skillnet_common.contracts.documents import DocumentStatus, VersionState
from skillnet_common.contracts.retrieval import Filters, SearchRequest
from skillnet_common.database import Database

from .conftest import Company
from .files import GOOD, archive, pdf, pdf_without_pages, scan, word
from .system import MAX_UPLOAD_BYTES, System

KEY = "llaves.md"
QUESTION = "¿Dónde se guarda la llave de la alarma?"
QUESTION_FIELDS = {"/v1/search": "query", "/v1/context": "query", "/v1/ground": "query", "/v1/ask": "question"}
"""Every address that answers from documents, and the field of its question."""

UNREADABLE: dict[str, tuple[Callable[[], bytes], str]] = {
    "cifrado.pdf": (lambda: pdf("Secreto.", password="clave"), "password_required"),
    "sin-paginas.pdf": (pdf_without_pages, "no_pages"),
    "escaneado.pdf": (scan, "needs_ocr"),
    "cortado.docx": (lambda: word("Texto. " * 500)[:9_000], "corrupt_file"),
    "otro.docx": (archive, "unsupported_type"),
    "foto.pdf": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "unsupported_type"),
    "en-blanco.txt": (lambda: b" \n\t\n" * 50, "nothing_readable"),
}
"""Files that are taken in and cannot be read: how each is made, and with which code it fails."""

_LEFT_BEHIND = (
    "SELECT (SELECT count(*) FROM document_texts) + (SELECT count(*) FROM document_sections)"
    " + (SELECT count(*) FROM document_chunks) + (SELECT count(*) FROM chunk_embeddings)"
    " + (SELECT count(*) FROM work WHERE state NOT IN ('done', 'failed'))"
)
_ROWS = (
    "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM document_versions) + (SELECT count(*) FROM work)"
)


async def test_files_that_cannot_be_read(company: Company, system_database: Database) -> None:
    for name, (make, code) in UNREADABLE.items():
        document = company.ingest(name, make())
        assert document.failure is not None, name
        assert (document.failure.code, document.failure.stage) == (code, "parse"), name
        assert document.failure.message.endswith("."), name
        assert document.status is DocumentStatus.FAILED, name
        assert document.live_version is None, name
    async with system_database.tenant(company.org) as connection:
        assert await connection.fetchval(_LEFT_BEHIND) == 0
    failed = [event for event in await company.events() if event.type == "document.failed"]
    assert {event.data["external_key"]: event.data["code"] for event in failed} == {
        name: code for name, (_, code) in UNREADABLE.items()
    }


async def test_a_bad_new_version_leaves_the_live_one_untouched(company: Company, system_database: Database) -> None:
    good = company.ingest(KEY, GOOD)
    assert good.live_version == 1
    before = await _live_content(system_database, company.org)
    for version, (make, code) in enumerate(UNREADABLE.values(), 2):
        document = company.ingest(KEY, make())
        assert document.failure is not None
        assert (document.failure.code, document.failure.version) == (code, version)
        assert (document.status, document.live_version) == (DocumentStatus.READY, 1)
        assert (document.title, document.page_count) == (good.title, good.page_count)
    assert await _live_content(system_database, company.org) == before
    passages = company.client.search(QUESTION).passages
    assert [(passage.version, passage.document_title) for passage in passages] == [(1, "Llaves")]
    assert company.ingest(KEY, GOOD + b"\nHay dos copias.\n").live_version == len(UNREADABLE) + 2


async def test_refused_uploads_store_nothing(company: Company, system_database: Database) -> None:
    refused = {
        "empty_file": b"",
        "payload_too_large": b"x" * (MAX_UPLOAD_BYTES + 1),
    }
    for code, content in refused.items():
        with pytest.raises(SkillnetApiError) as caught:
            company.client.upload(content, UploadOptions(filename="a.md", courses=["curso"]))
        assert caught.value.code == code
    async with system_database.tenant(company.org) as connection:
        assert await connection.fetchval(_ROWS) == 0
    assert company.system.objects_of(company.org) == []

    good = company.ingest(KEY, GOOD)
    for content in refused.values():
        with pytest.raises(SkillnetApiError):
            company.client.upload_version(good.document_id, content)
    after = company.client.document(good.document_id)
    assert (after.newest_version, after.live_version, after.failure) == (1, 1, None)
    assert len(company.system.objects_of(company.org)) == 1


def test_a_wrong_extension_is_read_for_what_it_is(company: Company) -> None:
    document = company.ingest("contrato.txt", pdf("El contrato se firma por duplicado.", "Anexo de firmas."))
    assert (document.status, document.failure) == (DocumentStatus.READY, None)
    assert (document.file_type, document.page_count, document.page_count_estimated) == ("pdf", 2, False)
    document = company.ingest("nota.pdf", word("El contrato se firma por duplicado."))
    assert (document.status, document.file_type) == (DocumentStatus.READY, "docx")


def test_text_that_is_not_utf8_is_read_with_a_warning(company: Company) -> None:
    text = "Mañana cerrará la tienda a las tres. ¡Avisad a los clientes!"
    document = company.ingest("aviso.txt", text.encode("cp1252"))
    assert (document.status, document.newest_state) == (DocumentStatus.READY, VersionState.READY)
    assert len(document.warnings) == 1
    assert "UTF-8" in document.warnings[0]
    (passage, *_) = company.client.search("¿A qué hora cierra mañana la tienda?").passages
    assert passage.text == text


def test_unknown_ids_and_those_of_another_company_look_alike(company: Company, competitor: Company) -> None:
    theirs = competitor.ingest(KEY, GOOD)
    for document_id in (theirs.document_id, uuid4()):
        calls: list[Callable[[], object]] = [
            lambda one=document_id: company.client.document(one),  # type: ignore[misc]
            lambda one=document_id: company.client.delete(one),  # type: ignore[misc]
            lambda one=document_id: company.client.upload_version(one, GOOD),  # type: ignore[misc]
            lambda one=document_id: company.client.cancel(one, 1),  # type: ignore[misc]
        ]
        for call in calls:
            with pytest.raises(SkillnetApiError) as caught:
                call()
            assert (caught.value.code, caught.value.status) == ("not_found", 404)
            assert caught.value.detail == "There is no such document."
        question = SearchRequest(query=QUESTION, filters=Filters(document_ids=[document_id]))
        assert company.client.search(question).passages == []
    assert list(company.client.documents()) == []
    assert company.client.search(QUESTION).passages == []
    untouched = competitor.client.document(theirs.document_id)
    assert (untouched.live_version, untouched.newest_version) == (1, 1)


@pytest.mark.parametrize("narrowed", [True, False], ids=["by their ids", "by words"])
def test_no_question_brings_back_anything_of_another_company(
    company: Company, competitor: Company, narrowed: bool
) -> None:
    theirs = competitor.ingest(KEY, GOOD)
    company.ingest("turnos.md", "# Turnos\n\nEl turno de mañana empieza a las seis.\n".encode())
    (passage, *_) = competitor.client.search(QUESTION).passages
    marks = [str(theirs.document_id), str(passage.chunk_id), theirs.title, "cajetin gris", KEY]
    filters = {"document_ids": [str(theirs.document_id)]} if narrowed else {}
    for path, field in QUESTION_FIELDS.items():
        body = {field: QUESTION, "filters": filters}
        own, strange = (
            httpx.post(
                f"{one.system.address}{path}", json=body, headers={"Authorization": f"Bearer {one.key}"}, timeout=30
            )
            for one in (competitor, company)
        )
        assert (own.status_code, strange.status_code) == (200, 200), path
        assert "cajetin gris" in own.text, path  # the question finds it for whom it belongs to
        assert [mark for mark in marks if mark in strange.text] == [], path


def test_a_wrong_key(system: System) -> None:
    with system.client("sk_no_es_una_clave") as client, pytest.raises(SkillnetApiError) as caught:
        client.search(QUESTION)
    assert (caught.value.code, caught.value.status) == ("unauthorized", 401)


@pytest.mark.parametrize("body", [b"{", b'{"query": ', b"\xff\xfe", b'{"query": "\xe9"}'], ids=repr)
def test_malformed_json(company: Company, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {company.key}", "Content-Type": "application/json"}
    response = httpx.post(f"{company.system.address}/v1/search", content=body, headers=headers)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == "malformed_json"


async def _live_content(database: Database, org: UUID) -> list[tuple[object, ...]]:
    async with database.tenant(org) as connection:
        rows = await connection.fetch(
            "SELECT c.chunk_id, c.version, c.body, c.char_start, c.char_end, e.embedding::text"
            " FROM document_chunks c JOIN chunk_embeddings e USING (org_id, chunk_id) ORDER BY c.chunk_index"
        )
    assert rows
    return [tuple(row) for row in rows]
