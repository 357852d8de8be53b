"""The SQL of migration 0005: folding, codes, postings, and the two functions of the specification."""

from __future__ import annotations

from uuid import UUID, uuid4

import asyncpg
import pytest
from pgvector import HalfVector
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, chunk_id_of, seed

from skillnet_common.database import Database


async def lexemes(database: Database, word: str) -> set[str]:
    async with database.system() as connection:
        return set(await connection.fetchval("SELECT tsvector_to_array(both_forms('spanish', $1::text))", word) or [])


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("devolucion", "devolución"),
        ("devolución", "devoluciones"),
        ("devolucion", "devoluciones"),
        ("extension", "extensiones"),
        ("extensión", "extension"),
        ("alergenos", "alérgenos"),
        ("alérgeno", "alergenos"),
        ("articulo", "artículos"),
        ("camion", "camiones"),
        ("telefono", "teléfonos"),
        ("MAYÚSCULA", "mayusculas"),
        ("nin\u0303o", "niño"),
        ("tenía", "tenían"),
    ],
)
async def test_a_word_is_found_with_and_without_accents_in_singular_and_plural(
    database: Database, asked: str, written: str
) -> None:
    assert await lexemes(database, asked) & await lexemes(database, written)


async def codes(database: Database, text: str) -> set[str]:
    async with database.system() as connection:
        rows = await connection.fetch("SELECT code FROM search_codes('spanish', $1::text)", text)
    return {row["code"] for row in rows}


@pytest.mark.parametrize("spelling", ["ISO 9001", "ISO-9001", "iso9001", "Iso 9001:2015", "(ISO-9001)."])
async def test_the_spellings_of_a_standard_are_one_code(database: Database, spelling: str) -> None:
    assert "#iso9001" in await codes(database, spelling)


async def test_codes_keep_what_tells_them_apart(database: Database) -> None:
    assert "#ref2041b" in await codes(database, "pieza REF-2041-B de recambio")
    assert "#ref2041b" not in await codes(database, "pieza REF-2041-C de recambio")
    assert "#12.50" in await codes(database, "cuesta 12,50 €")
    assert "#15-03-2026" in await codes(database, "desde el 15/03/2026")
    assert await codes(database, "un plazo de 30 días, y/o más") == set()


async def test_indexing_again_changes_nothing(database: Database, org: UUID) -> None:
    document = SeedDocument("Manual", [SeedChunk("El plazo de devolución."), SeedChunk("Sin devoluciones.")])
    await seed(database, org, document)
    query = "SELECT lexeme, entries FROM chunk_postings ORDER BY lexeme"
    async with database.tenant(org) as connection:
        before = await connection.fetch(query)
        await connection.execute("SELECT index_chunks($1, $2, 1)", org, document.document_id)
        assert await connection.fetch(query) == before
        words = await connection.fetchval("SELECT lexeme_count FROM document_versions")
    by_lexeme = {row["lexeme"]: row["entries"] for row in before}
    assert {"plaz", "devolu", "manual"} <= by_lexeme.keys()
    assert [entry >> 32 for entry in by_lexeme["devolu"]] == [0, 1]
    assert words == 2 + 1 + 1 + 1  # plazo, devolución; devoluciones; the title in each header


async def test_removing_a_version_removes_its_postings(database: Database, org: UUID) -> None:
    document = SeedDocument("Manual", [SeedChunk("El plazo de devolución.")])
    await seed(database, org, document)
    dropped = "SELECT count(*) FROM chunk_postings"
    async with database.tenant(org) as connection:
        assert await connection.fetchval(dropped) > 0
        await connection.execute("DELETE FROM chunk_postings WHERE document_id = $1", document.document_id)
        assert await connection.fetchval(dropped) == 0


async def test_the_dispatcher_removes_postings_but_reads_no_words(
    dispatcher_database: Database, database: Database, org: UUID
) -> None:
    document = SeedDocument("Manual", [SeedChunk("El plazo de devolución.")])
    await seed(database, org, document)
    async with dispatcher_database.system() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction():
                await connection.fetch("SELECT lexeme FROM chunk_postings")
        await connection.execute(
            "DELETE FROM chunk_postings WHERE org_id = $1 AND document_id = $2 AND version = 1",
            org,
            document.document_id,
        )
    async with database.tenant(org) as connection:
        assert await connection.fetchval("SELECT count(*) FROM chunk_postings") == 0


async def terms(database: Database, query: str, *configs: str) -> dict[str, set[str]]:
    async with database.system() as connection:
        rows = await connection.fetch(
            "SELECT term, array_agg(lexeme) AS lexemes FROM search_terms($1, $2::text[]::regconfig[]) GROUP BY term",
            query,
            list(configs or ("spanish",)),
        )
    return {row["term"]: set(row["lexemes"]) for row in rows}


async def test_a_question_keeps_only_its_content_words(database: Database) -> None:
    found = await terms(database, "¿Cuál es el plazo para devolver un producto y cuánto cuesta?")
    assert set(found) == {"plazo", "devolver", "producto", "cuesta"}


async def test_the_questions_own_stop_words_are_dropped_in_a_corpus_of_another_language(database: Database) -> None:
    assert set(await terms(database, "what is the return policy", "spanish")) == {"return", "policy"}


async def test_forms_of_one_word_are_one_term(database: Database) -> None:
    assert len(await terms(database, "devolución devoluciones devolucion")) == 1
    assert (await terms(database, "iso9001"))["iso9001"] >= {"#iso9001", "iso9001"}


async def test_questions_without_words_have_no_terms(database: Database) -> None:
    assert await terms(database, "¿y qué es lo de los?") == {}


@pytest.fixture
async def manual(database: Database, org: UUID) -> SeedDocument:
    document = SeedDocument(
        "Manual",
        [
            SeedChunk("El plazo de devolución es de 30 días.", (1, 0, 0, 0), ("Devoluciones",)),
            SeedChunk("El horno se limpia cada noche.", (0, 1, 0, 0), ("Limpieza",)),
        ],
        courses=["curso-1"],
    )
    await seed(database, org, document)
    return document


async def test_semantic_function_ranks_live_chunks_by_cosine(
    database: Database, org: UUID, manual: SeedDocument
) -> None:
    vector = HalfVector([0.9, 0.435889894, 0, 0])
    async with database.tenant(org) as connection:
        rows = await connection.fetch("SELECT * FROM search_chunks_semantic($1, $2)", vector, org)
        assert [row["chunk_id"] for row in rows] == [chunk_id_of(manual, 0), chunk_id_of(manual, 1)]
        assert rows[0]["similarity"] == pytest.approx(0.9, abs=1e-3)
        above = await connection.fetch(
            "SELECT * FROM search_chunks_semantic($1, $2, match_threshold => 0.5)", vector, org
        )
        assert [row["content"] for row in above] == ["El plazo de devolución es de 30 días."]
        other = await connection.fetch(
            "SELECT * FROM search_chunks_semantic($1, $2, match_course_id => 'otro')", vector, org
        )
        assert other == []
        by_course = await connection.fetch(
            "SELECT * FROM search_chunks_semantic($1, $2, match_course_id => 'curso-1', match_count => 1)",
            vector,
            org,
        )
        assert len(by_course) == 1
        no_model = await connection.fetch(
            "SELECT * FROM search_chunks_semantic($1, $2, match_model_id => 999)", vector, org
        )
        assert no_model == []


async def test_keyword_function_finds_any_word_in_either_form(
    database: Database, org: UUID, manual: SeedDocument
) -> None:
    async with database.tenant(org) as connection:
        rows = await connection.fetch(
            "SELECT * FROM search_chunks_keyword('¿plazo para una devolucion rara?', $1)", org
        )
        assert [row["document_id"] for row in rows] == [manual.document_id]
        assert rows[0]["content"].startswith("El plazo")
        assert await connection.fetch("SELECT * FROM search_chunks_keyword('horno', $1, $2)", org, uuid4()) == []
        assert await connection.fetch("SELECT * FROM search_chunks_keyword('¿y de la?', $1)", org) == []


@pytest.mark.parametrize(
    "call", ["search_chunks_keyword('plazo', $1)", "search_chunks_semantic('[1,0,0,0]'::halfvec, $1)"]
)
async def test_the_functions_refuse_another_organisation(
    database: Database, org: UUID, other_org: UUID, manual: SeedDocument, call: str
) -> None:
    async with database.tenant(org) as connection:
        with pytest.raises(asyncpg.PostgresError, match="not the tenant"):
            await connection.fetch(f"SELECT * FROM {call}", other_org)
    async with database.tenant(other_org) as connection:
        assert await connection.fetch(f"SELECT * FROM {call}", other_org) == []
