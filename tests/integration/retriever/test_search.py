"""What is found, and what must not be: tenancy, audience, versions, filters, words, codes, fusion."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from pydantic import BaseModel
from tests.conftest import DatabaseUrls
from tests.integration.retriever.conftest import TinyEncoder, asker, axis_vector, make_retriever
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, chunk_id_of, seed

from skillnet_common.contracts.retrieval import (
    ContextRequest,
    Filters,
    Fusion,
    GroundRequest,
    Question,
    Rung,
    SearchReply,
    SearchRequest,
    Strategy,
)
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault, RequestError
from skillnet_common.versions.deletion import delete_document
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings

RETURNS = "El plazo de devolución es de 30 días con el tique."
PRICES = "La barra rústica tiene un precio de 1,25 €."
CLEANING = "El horno se limpia cada noche al cerrar."


def chunk(body: str, **fields: Any) -> SeedChunk:
    return SeedChunk(body, axis_vector(body).tolist(), **fields)


def document(title: str, *bodies: str, **fields: Any) -> SeedDocument:
    return SeedDocument(title, [chunk(body) for body in bodies], **fields)


async def found(retriever: Retriever, org: UUID, query: str, *groups: str, **fields: Any) -> SearchReply:
    return await retriever.search(asker(org, *groups), SearchRequest(query=query, **fields))


def texts(reply: SearchReply) -> list[str]:
    return [passage.text for passage in reply.passages]


@pytest.fixture
async def shop(database: Database, org: UUID) -> list[SeedDocument]:
    documents = [document("Devoluciones", RETURNS), document("Precios", PRICES), document("Limpieza", CLEANING)]
    await seed(database, org, *documents)
    return documents


async def test_the_passage_that_answers_comes_first_with_every_score_named(
    retriever: Retriever, org: UUID, shop: list[SeedDocument]
) -> None:
    reply = await found(retriever, org, "¿Cuál es el plazo de devolucion?")
    best = reply.passages[0]
    assert best.text == RETURNS
    assert (best.document_title, best.version, best.page_start) == ("Devoluciones", 1, 1)
    assert best.scores.semantic == pytest.approx(1, abs=0.01)
    assert (best.scores.semantic_rank, best.scores.keyword_rank) == (1, 1)
    assert best.scores.keyword is not None
    assert best.scores.keyword > 0
    assert best.scores.coverage is not None
    assert 0 < best.scores.coverage <= 1
    assert reply.strategy is Strategy.HYBRID
    assert reply.strategy_reason
    assert reply.embedding_model == "test-model"
    assert len(best.boxes) == 1


async def test_candidates_of_one_leg_carry_the_other_legs_score(
    retriever: Retriever, org: UUID, shop: list[SeedDocument]
) -> None:
    reply = await found(retriever, org, "devolución del horno")
    oven = next(passage for passage in reply.passages if passage.text == CLEANING)
    assert oven.scores.keyword_rank == 2
    assert oven.scores.semantic is not None
    price = next(passage for passage in reply.passages if passage.text == PRICES)
    assert price.scores.keyword_rank is None
    assert price.scores.keyword == 0


@pytest.mark.parametrize("whole", [False, True], ids=["in passages", "read whole"])
@pytest.mark.parametrize("request_type", [SearchRequest, ContextRequest, GroundRequest])
async def test_nothing_of_another_tenant_is_found_even_when_named(
    database: Database,
    retriever: Retriever,
    org: UUID,
    other_org: UUID,
    shop: list[SeedDocument],
    request_type: type[Question],
    whole: bool,
) -> None:
    secret = document("Secreto", "Nuestro plazo de devolución es de 60 días.", small=whole, pages=2)
    await seed(database, other_org, secret)
    theirs = [str(secret.document_id), str(chunk_id_of(secret, 0)), "Secreto", "60 días"]
    for filters in (Filters(), Filters(document_ids=[secret.document_id])):
        for strategy in Strategy:
            request = request_type(query="plazo de devolución", filters=filters, strategy=strategy)
            told = (await replied(retriever, org, request)).model_dump_json()
            assert [word for word in theirs if word in told] == []
            assert (RETURNS in told) == (filters == Filters())
            known = (await replied(retriever, other_org, request)).model_dump_json()
            assert "60 días" in known  # the question would have found it


async def replied(retriever: Retriever, org: UUID, request: Question) -> BaseModel:
    """The answer to a request of any kind."""
    match request:
        case GroundRequest():
            return await retriever.ground(asker(org), request)
        case ContextRequest():
            return await retriever.context(asker(org), request)
        case SearchRequest():
            return await retriever.search(asker(org), request)
        case _:
            raise AssertionError(request)


async def test_an_audience_sees_only_what_it_may(database: Database, retriever: Retriever, org: UUID) -> None:
    board = document("Consejo", "El plazo de devolución del préstamo.", columns={"audience": ["consejo"]})
    await seed(database, org, document("Devoluciones", RETURNS), board)
    query = "plazo de devolución"
    assert texts(await found(retriever, org, query, "tienda")) == [RETURNS]
    assert len((await found(retriever, org, query, "consejo")).passages) == 2
    assert len((await found(retriever, org, query)).passages) == 2
    hidden = await found(retriever, org, query, "tienda", filters=Filters(document_ids=[board.document_id]))
    assert hidden.passages == []


async def test_frequencies_are_counted_over_what_the_asker_sees(
    database: Database, retriever: Retriever, org: UUID
) -> None:
    hidden = [document(f"Consejo {n}", RETURNS, columns={"audience": ["consejo"]}) for n in range(5)]
    await seed(database, org, document("Devoluciones", RETURNS), document("Precios", PRICES), *hidden)
    seen = await found(retriever, org, "devolución", "tienda")
    whole = await found(retriever, org, "devolución", "consejo")
    assert (seen.passages[0].scores.keyword or 0) > (whole.passages[0].scores.keyword or 0)


async def test_only_the_live_version_is_found(database: Database, retriever: Retriever, org: UUID) -> None:
    identity = uuid4()
    await seed(
        database, org, document("Devoluciones", "El plazo de devolución era de 15 días.", document_id=identity)
    )
    await seed(database, org, document("Devoluciones", RETURNS, document_id=identity, version=2))
    await seed(
        database,
        org,
        document(
            "Devoluciones", "El plazo de devolución será de 45 días.", document_id=identity, version=3, live=False
        ),
    )
    for strategy in (Strategy.HYBRID, Strategy.KEYWORD, Strategy.SEMANTIC):
        reply = await found(retriever, org, "plazo de devolución", strategy=strategy)
        assert texts(reply) == [RETURNS]
        assert reply.passages[0].version == 2


async def test_a_deleted_document_is_gone_at_once(
    database: Database, retriever: Retriever, org: UUID, shop: list[SeedDocument]
) -> None:
    async with database.tenant(org) as connection:
        assert await delete_document(connection, org, shop[0].document_id)
    for strategy in (Strategy.HYBRID, Strategy.KEYWORD, Strategy.SEMANTIC):
        assert RETURNS not in texts(await found(retriever, org, "plazo de devolución", strategy=strategy))


LABELLED = uuid4()
FILTERS = {
    "documents": Filters(document_ids=[LABELLED]),
    "course": Filters(course_id="curso-1"),
    "subject": Filters(subject_id="tema-1"),
    "entity": Filters(entity_id="tienda-1"),
    "taxonomy": Filters(taxonomy_prefix="personal/tienda"),
    "file type": Filters(file_type="docx"),
    "language": Filters(language="pt"),
    "metadata": Filters(metadata={"nivel": 2, "publico": True}),
    "a word in metadata": Filters(metadata={"otro": "x"}),
    "section path": Filters(section_path=["Normas", "Plazos"]),
    "pages": Filters(page_from=7, page_to=8),
    "only after a page": Filters(page_from=8),
    "updated": Filters(updated_after=datetime.now(UTC) + timedelta(days=1)),
    "updated between": Filters(
        updated_after=datetime.now(UTC) + timedelta(days=1), updated_before=datetime.now(UTC) + timedelta(days=3)
    ),
    "several at once": Filters(course_id="curso-1", subject_id="tema-1", section_path=["Normas"], page_from=8),
}


@pytest.fixture
async def labelled(database: Database, org: UUID) -> tuple[SeedDocument, SeedDocument]:
    """Two documents with the same text; every filter fits the first one only."""
    columns = {
        "subject_id": "tema-1",
        "entity_id": "tienda-1",
        "taxonomy": "personal/tienda/caja",
        "metadata": {"nivel": 2, "publico": True, "otro": "x"},
        "file_type": "docx",
        "updated_at": datetime.now(UTC) + timedelta(days=2),
    }
    one = SeedDocument(
        "Uno",
        [chunk(RETURNS, path=("Normas", "Plazos"), page=8)],
        columns=columns,
        courses=["curso-1"],
        language="pt",
        document_id=LABELLED,
    )
    two = SeedDocument(
        "Dos",
        [chunk(RETURNS, path=("Normas",), page=2)],
        columns={"taxonomy": "personal/tiendas"},
        courses=["curso-2"],
    )
    await seed(database, org, one, two)
    return one, two


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("strategy", [Strategy.HYBRID, Strategy.KEYWORD, Strategy.SEMANTIC])
@pytest.mark.parametrize("query", ["plazo de devolución", '"plazo de devolución"', "de"])
async def test_each_filter_narrows_every_leg(
    retriever: Retriever,
    org: UUID,
    labelled: tuple[SeedDocument, SeedDocument],
    name: str,
    strategy: Strategy,
    query: str,
) -> None:
    reply = await found(retriever, org, query, filters=FILTERS[name], strategy=strategy)
    assert [passage.document_id for passage in reply.passages] == [labelled[0].document_id]


OTHERS = {
    "documents": Filters(document_ids=[uuid4()]),
    "updated before": Filters(updated_before=datetime.now(UTC) + timedelta(days=1)),
    "until a page": Filters(page_to=7),
    "language": Filters(language="es"),
    "taxonomy": Filters(taxonomy_prefix="personal/tiendas"),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("strategy", [Strategy.HYBRID, Strategy.KEYWORD, Strategy.SEMANTIC])
async def test_a_filter_that_fits_the_other_document_leaves_this_one_out(
    retriever: Retriever, org: UUID, labelled: tuple[SeedDocument, SeedDocument], name: str, strategy: Strategy
) -> None:
    assert len((await found(retriever, org, "plazo de devolución", strategy=strategy)).passages) == 2
    reply = await found(retriever, org, "plazo de devolución", filters=OTHERS[name], strategy=strategy)
    expected = [] if name == "documents" else [labelled[1].document_id]
    assert [passage.document_id for passage in reply.passages] == expected


@pytest.mark.parametrize("query", ["devolución", "devoluciom"])
async def test_filters_on_documents_narrow_what_frequencies_are_counted_over(
    database: Database, retriever: Retriever, org: UUID, query: str
) -> None:
    bodies = [RETURNS, PRICES, CLEANING]
    await seed(database, org, document("Uno", *bodies, columns={"subject_id": "tema-1"}))
    await seed(database, org, *(document(f"Otro {n}", RETURNS) for n in range(5)))
    everywhere = await found(retriever, org, query, strategy=Strategy.KEYWORD)
    narrowed = await found(retriever, org, query, strategy=Strategy.KEYWORD, filters=Filters(subject_id="tema-1"))
    known, chunks = 1, 3
    idf = math.log(1 + (chunks - known + 0.5) / (known + 0.5))
    scores = [reply.passages[0].scores.keyword or 0 for reply in (narrowed, everywhere)]
    assert scores[0] > scores[1]
    assert scores[0] < idf
    inside = await found(
        retriever, org, query, strategy=Strategy.KEYWORD, filters=Filters(subject_id="tema-1", page_to=1)
    )
    assert inside.passages[0].scores.keyword == scores[0]  # those of whole documents


async def test_a_filter_that_fits_nothing_finds_nothing(
    retriever: Retriever, org: UUID, labelled: tuple[SeedDocument, SeedDocument]
) -> None:
    reply = await found(retriever, org, "plazo", filters=Filters(updated_before=datetime(2020, 1, 1, tzinfo=UTC)))
    assert reply.passages == []


@pytest.mark.parametrize("query", ["REF-2041-B", "ref 2041 b", "¿Queda stock de la ref-2041-b?"])
async def test_a_code_finds_its_own_passage_first(
    database: Database, retriever: Retriever, org: UUID, query: str
) -> None:
    bodies = [f"Recambio REF-2041-{letter} para la amasadora." for letter in "ACDEFB"]
    await seed(database, org, document("Recambios", *bodies))
    assert "REF-2041-B" in texts(await found(retriever, org, query))[0]


@pytest.mark.parametrize("query", ["ISO 9001", "ISO-9001", "iso9001"])
@pytest.mark.parametrize("written", ["ISO 9001", "ISO-9001", "iso9001"])
async def test_spellings_of_a_code_find_each_other(
    database: Database, retriever: Retriever, org: UUID, query: str, written: str
) -> None:
    await seed(database, org, document("Normas", f"Se cumple la norma {written} desde enero.", "Otra cosa de enero."))
    reply = await found(retriever, org, query, strategy=Strategy.KEYWORD)
    assert [written in text for text in texts(reply)] == [True]


async def test_alpha_at_its_ends_ranks_one_leg_alone(database: Database, retriever: Retriever, org: UUID) -> None:
    by_words = SeedChunk("Un plazo de devolución muy citado.", (0, 0, 0, 1))
    by_meaning = SeedChunk("Se aceptan artículos ya vendidos.", (1, 0, 0, 0))
    await seed(database, org, SeedDocument("A", [by_words]), SeedDocument("B", [by_meaning]))
    keyword = await found(retriever, org, "plazo de devolución", alpha=0)
    assert texts(keyword) == [by_words.body]
    assert keyword.passages[0].scores.semantic is not None
    semantic = await found(retriever, org, "plazo de devolución", alpha=1)
    assert texts(semantic)[0] == by_meaning.body


@pytest.mark.parametrize("fusion", Fusion)
@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.7])
async def test_no_leg_buries_the_others_best_hit(
    database: Database, retriever: Retriever, org: UUID, fusion: Fusion, alpha: float
) -> None:
    crowd = [SeedChunk(f"Cosas {n} de la tienda que se aceptan.", (0.99 - n / 200, 0.1, 0, 0.1)) for n in range(30)]
    words = SeedChunk("El finiquito se abona en diez días.", (0, 0, 0.1, 1))
    meaning = SeedChunk("Vale por el importe del artículo.", (1, 0, 0, 0))
    await seed(database, org, SeedDocument("Varios", [*crowd, words, meaning]))
    reply = await found(retriever, org, "devolución del finiquito en diez días", fusion=fusion, alpha=alpha)
    assert {words.body, meaning.body} <= set(texts(reply)[:3])


async def test_equal_scores_are_ordered_by_chunk_id(database: Database, retriever: Retriever, org: UUID) -> None:
    twins = [document(f"Copia {n}", RETURNS) for n in range(6)]
    await seed(database, org, *twins)
    reply = await found(retriever, org, "devolución")
    ids = [passage.chunk_id for passage in reply.passages]
    assert ids == sorted(ids)
    assert set(ids) == {chunk_id_of(twin, 0) for twin in twins}


async def test_a_question_of_stop_words_alone_is_searched_by_meaning(
    retriever: Retriever, org: UUID, shop: list[SeedDocument]
) -> None:
    reply = await found(retriever, org, "¿y eso qué es?")
    assert len(reply.passages) == 3
    assert any("palabras vacías" in warning for warning in reply.warnings)
    assert all(passage.scores.keyword_rank is None for passage in reply.passages)


async def test_a_question_of_stop_words_alone_finds_by_words_what_holds_them(
    retriever: Retriever, org: UUID, shop: list[SeedDocument]
) -> None:
    reply = await found(retriever, org, "¿y eso de qué es?", strategy=Strategy.KEYWORD)
    assert texts(reply) == [RETURNS, PRICES]  # "es" and "de"; "de" alone
    assert reply.warnings == []
    ground = await retriever.ground(asker(org), GroundRequest(query="¿y eso de qué es?", strategy=Strategy.KEYWORD))
    assert ground.rung is not Rung.CHUNKS


@pytest.mark.parametrize("query", ["¿?", "   ", "…!!", "\u200b"])
async def test_a_question_without_letters_or_digits_is_refused(retriever: Retriever, org: UUID, query: str) -> None:
    with pytest.raises(RequestError) as caught:
        await found(retriever, org, query)
    assert caught.value.code is ErrorCode.QUERY_EMPTY


async def test_an_overlong_question_is_cut_for_the_model_and_says_so(
    retriever: Retriever, encoder: TinyEncoder, org: UUID, shop: list[SeedDocument]
) -> None:
    query = "plazo de devolución " + "bla " * 200 + "horno"
    reply = await found(retriever, org, query)
    assert len(encoder.encoded[0]) == TinyEncoder.WINDOW
    assert any("más larga" in warning for warning in reply.warnings)
    assert CLEANING in texts(reply)  # the words are looked up whole


@pytest.mark.parametrize(
    "query",
    [
        "100% 'OR 1=1; --",
        "a & b | !c <-> d",
        "\\x00 $1 %s {}",
        "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "x",
    ],
)
async def test_odd_characters_are_only_text(
    retriever: Retriever, org: UUID, shop: list[SeedDocument], query: str
) -> None:
    await found(retriever, org, query)


async def test_the_same_question_is_embedded_once(
    retriever: Retriever, encoder: TinyEncoder, org: UUID, shop: list[SeedDocument]
) -> None:
    await found(retriever, org, "plazo de  devolución")
    await found(retriever, org, " plazo de devolucio\u0301n ")
    assert len(encoder.encoded) == 1


async def test_one_small_document_is_read_whole_best_passage_first(
    database: Database, retriever: Retriever, org: UUID
) -> None:
    small = document("Devoluciones", "Introducción general.", RETURNS, "Cierre.", small=True, pages=2)
    await seed(database, org, small, document("Precios", PRICES))
    reply = await found(retriever, org, "plazo de devolución", filters=Filters(document_ids=[small.document_id]))
    assert reply.strategy is Strategy.FULL_TEXT
    assert "un solo documento de 2 páginas" in reply.strategy_reason
    assert texts(reply)[0] == RETURNS
    assert len(reply.passages) == 3
    everywhere = await found(retriever, org, "plazo de devolución")
    assert everywhere.strategy is Strategy.HYBRID


async def test_full_text_of_several_documents_is_searched_with_a_warning(
    retriever: Retriever, org: UUID, shop: list[SeedDocument]
) -> None:
    reply = await found(retriever, org, "plazo de devolución", strategy=Strategy.FULL_TEXT)
    assert reply.strategy is Strategy.HYBRID
    assert reply.warnings


async def test_a_model_without_meaning_searches_words_only(
    database: Database, encoder: TinyEncoder, org: UUID, shop: list[SeedDocument]
) -> None:
    reply = await found(make_retriever(database, encoder, calibration=None), org, "devolución")
    assert reply.strategy is Strategy.KEYWORD
    assert texts(reply) == [RETURNS]
    assert encoder.encoded == []


async def test_another_serving_model_is_an_error_not_a_wrong_answer(
    database: Database, encoder: TinyEncoder, org: UUID, shop: list[SeedDocument]
) -> None:
    with pytest.raises(PermanentFault) as caught:
        await found(make_retriever(database, encoder, model_id=999), org, "devolución")
    assert caught.value.code is ErrorCode.MODEL_MISMATCH


async def test_an_organisation_without_documents_finds_nothing(retriever: Retriever, org: UUID) -> None:
    for strategy in Strategy:
        assert (await found(retriever, org, "devolución", strategy=strategy)).passages == []


async def test_repeated_text_is_not_shown_but_a_table_keeps_its_header(
    database: Database, retriever: Retriever, org: UUID
) -> None:
    header = "| Código | Precio |\n| --- | --- |\n"
    await seed(
        database,
        org,
        SeedDocument(
            "Tarifa",
            [
                chunk("Devolución de precios."),
                chunk("Más sobre el precio.", repeats="Devolución de precios. "),
                chunk("| PAN-1 | 1 € |", repeats=header, kind="table"),
            ],
        ),
    )
    reply = await found(retriever, org, "precio pan-1")
    assert header + "| PAN-1 | 1 € |" in texts(reply)
    assert "Más sobre el precio." in texts(reply)


async def test_a_time_without_a_zone_is_in_utc(retriever: Retriever, org: UUID, shop: list[SeedDocument]) -> None:
    naive = datetime(2020, 1, 1)  # noqa: DTZ001 - what a careless client sends
    assert len((await found(retriever, org, "plazo", filters=Filters(updated_after=naive))).passages) == 3


async def test_a_search_that_takes_too_long_is_given_up(
    database: Database, database_urls: DatabaseUrls, encoder: TinyEncoder, org: UUID
) -> None:
    await seed(database, org, document("Largo", "Texto con la palabra devolución."))
    hasty = make_retriever(database, encoder, settings=RetrieverSettings(search_timeout_seconds=0.2))
    admin = await asyncpg.connect(database_urls.admin)
    try:
        async with admin.transaction():
            await admin.execute("LOCK TABLE skillnet.chunk_postings IN ACCESS EXCLUSIVE MODE")  # nothing gets through
            with pytest.raises(PassingFault) as caught:
                await found(hasty, org, "texto con la palabra devolución")
    finally:
        await admin.close()
    assert caught.value.code is ErrorCode.TIMEOUT
    assert (await found(make_retriever(database, encoder), org, "palabra")).passages


async def test_variants_are_searched_too(database: Database, retriever: Retriever, org: UUID) -> None:
    bodies = ["La barra cuesta 1 €.", "El horno se limpia los lunes.", "El reembolso tarda dos días."]
    await seed(
        database, org, SeedDocument("Manual", [SeedChunk(body, axis_vector(body).tolist()) for body in bodies])
    )
    plain = await retriever.search(asker(org), SearchRequest(query="¿Cómo va mi reembolso?", limit=3))
    reply = await retriever.search(
        asker(org),
        SearchRequest(query="¿Cómo va mi reembolso?", variants=["limpia el horno", "se limpia los lunes"], limit=3),
    )
    assert plain.passages[0].text == bodies[2]
    assert reply.passages[0].text == bodies[1]
    assert {passage.text for passage in reply.passages} == set(bodies)
