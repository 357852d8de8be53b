"""Typing errors, phrases, exclusions, codes and pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from tests.integration.retriever.conftest import asker, axis_vector
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, seed

from skillnet_common.contracts.retrieval import ContextRequest, Filters, Fusion, SearchReply, SearchRequest, Strategy
from skillnet_common.database import Database
from skillnet_common.versions.deletion import delete_document
from skillnet_retriever.retriever import Retriever

LEGS = [Strategy.HYBRID, Strategy.KEYWORD, Strategy.SEMANTIC]


def document(title: str, *bodies: str, **fields: Any) -> SeedDocument:
    return SeedDocument(title, [SeedChunk(body, axis_vector(body).tolist()) for body in bodies], **fields)


async def found(retriever: Retriever, org: UUID, query: str, *groups: str, **fields: Any) -> SearchReply:
    return await retriever.search(asker(org, *groups), SearchRequest(query=query, **fields))


async def texts(retriever: Retriever, org: UUID, query: str, **fields: Any) -> list[str]:
    return [passage.text for passage in (await found(retriever, org, query, **fields)).passages]


OVEN = "El extractor del horno se limpia cada semana."
RETURNS = "La devolución de un artículo pide la disposición del cliente."
EXTENSION = "Cada extensión telefónica tiene un aparato con auriculares."


@pytest.fixture
async def shop(database: Database, org: UUID) -> None:
    await seed(database, org, document("A", OVEN), document("B", RETURNS), document("C", EXTENSION))


@pytest.mark.parametrize(
    ("typed", "read_as", "expected"),
    [
        ("extrctor", "extractor", OVEN),
        ("extrractor", "extractor", OVEN),
        ("extrakttor", "extractor", None),  # two letters
        ("extrattor", "extractor", OVEN),
        ("etxractor", "extractor", OVEN),
        ("orno", "horno", OVEN),
        ("semna", "semana", OVEN),
        ("dispocición", "disposición", RETURNS),
        ("devolucoin", "devolución", RETURNS),
        ("articlo", "artículo", RETURNS),
        ("ESTENSIONES", "extensión", EXTENSION),
        ("telefnica", "telefónica", EXTENSION),
    ],
)
async def test_a_word_with_one_wrong_letter_finds_and_says_so(
    retriever: Retriever, org: UUID, shop: None, typed: str, read_as: str, expected: str | None
) -> None:
    reply = await found(retriever, org, f"¿y {typed}?", strategy=Strategy.KEYWORD)
    assert [passage.text for passage in reply.passages] == ([expected] if expected else [])
    readings = {c.typed: c.read_as for c in reply.corrections}
    assert (read_as in readings.get(typed.lower(), ())) == (expected is not None)


@pytest.mark.parametrize(
    ("typed", "written"),
    [("almacenamento", "almacenamiento"), ("caducidda", "caducidad"), ("etiquetaods", "etiquetado")],
)
async def test_a_correction_names_a_word_that_stands_in_a_document(
    database: Database, retriever: Retriever, org: UUID, typed: str, written: str
) -> None:
    await seed(database, org, document("Almacenamiento", "El etiquetado lleva la caducidad de cada caja."))
    reply = await found(retriever, org, f"normas de {typed}", strategy=Strategy.KEYWORD)
    assert {c.typed: c.read_as for c in reply.corrections}[typed] == [written]


@pytest.mark.parametrize("query", ["hornos", "¿el horno?", "devolucion", "horno REF-2041-C", "horno 3456"])
async def test_words_that_are_held_codes_and_figures_are_never_read_as_others(
    database: Database, retriever: Retriever, org: UUID, shop: None, query: str
) -> None:
    await seed(database, org, document("Recambios", "Pieza REF-2041-B de 3457 euros."))
    assert (await found(retriever, org, query)).corrections == []


async def test_a_word_is_read_as_another_of_the_askers_scope_only(
    database: Database, retriever: Retriever, org: UUID, other_org: UUID, shop: None
) -> None:
    await seed(database, other_org, document("Suyo", "El congelador."))
    await seed(database, org, document("Consejo", "El congelador.", columns={"audience": ["consejo"]}))
    hidden = document("Aparte", "El congelador.")
    await seed(database, org, hidden)
    assert (await found(retriever, org, "congeladro", "tienda")).corrections[0].read_as == ["congelador"]
    async with database.tenant(org) as connection:
        assert await delete_document(connection, org, hidden.document_id)
    assert (await found(retriever, org, "congeladro", "tienda")).corrections == []
    assert (await found(retriever, org, "congeladro", "consejo")).corrections


async def test_a_foreign_word_is_no_typing_error(database: Database, retriever: Retriever, org: UUID) -> None:
    await seed(database, org, document("Información", "La información del producto."))
    reply = await found(retriever, org, "what is the informacion of the return", strategy=Strategy.KEYWORD)
    assert len(reply.passages) == 1  # held as it stands
    reply = await found(retriever, org, "what is the imformacion of the return", strategy=Strategy.KEYWORD)
    assert (reply.passages, reply.corrections) == ([], [])


async def test_a_misspelt_word_counts_less_than_the_right_one(retriever: Retriever, org: UUID, shop: None) -> None:
    right = (await found(retriever, org, "extractor", strategy=Strategy.KEYWORD)).passages[0].scores
    misspelt = (await found(retriever, org, "extrctor", strategy=Strategy.KEYWORD)).passages[0].scores
    assert 0 < (misspelt.keyword or 0) < (right.keyword or 0)
    assert 0 < (misspelt.coverage or 0) < (right.coverage or 0)


async def test_a_context_tells_what_was_read_as_what(retriever: Retriever, org: UUID, shop: None) -> None:
    reply = await retriever.context(asker(org), ContextRequest(query="extrctor", filters=Filters(language="es")))
    assert [(c.typed, c.read_as) for c in reply.corrections] == [("extrctor", ["extractor"])]


@pytest.mark.parametrize("strategy", [Strategy.HYBRID, Strategy.KEYWORD])
async def test_of_hundreds_of_codes_the_first_are_looked_up_and_the_reply_says_so(
    database: Database, retriever: Retriever, org: UUID, strategy: Strategy
) -> None:
    await seed(database, org, document("Recambios", "Pieza REF-0003.", "Pieza REF-0399."))
    query = " ".join(f"REF-{number:04}" for number in range(400))
    reply = await found(retriever, org, query, strategy=strategy)
    assert reply.passages[0].text == "Pieza REF-0003."
    assert any("por palabras se han buscado solo las primeras" in warning for warning in reply.warnings)
    assert "por palabras" not in " ".join((await found(retriever, org, "REF-0003", strategy=strategy)).warnings)


PHRASES = [
    "El plazo de devolución es de treinta días.",
    "Para la devolución hay un plazo.",
    "El PLAZO de\nDevolucion vence pronto.",
    "Plazos de devolución.",
    "Norma ISO-9001 en vigor.",
]


@pytest.fixture
async def phrases(database: Database, org: UUID) -> None:
    await seed(database, org, *(document(f"D{n}", body) for n, body in enumerate(PHRASES)))


@pytest.mark.parametrize("strategy", LEGS)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"plazo de devolución"', {0, 2}),
        ("«plazo de devolucion» horno", {0, 2}),
        ('¿cuál es el "plazo de"?', {0, 2}),
        ('"devolución hay"', {1}),
        ('"devolución plazo"', set()),
        ('"lazo de devolución"', set()),
        ('"de"', {0, 2, 3}),
        ('"es de"', {0}),
        ('"iso 9001"', {4}),
        ("«ISO9001»", {4}),
        ('"treinta días" OR "iso 9001"', {0, 4}),
        ('"plazo de" "treinta días"', {0}),
        ("plazo -treinta", {1, 2, 3, 4}),
        ('plazo -"de devolucion"', {1, 4}),
        ('"plazo de" -vence', {0}),
    ],
)
async def test_phrases_are_required_and_exclusions_left_out_on_every_leg(
    retriever: Retriever, org: UUID, phrases: None, strategy: Strategy, query: str, expected: set[int]
) -> None:
    reply = await found(retriever, org, query, strategy=strategy)
    shown = {PHRASES.index(passage.text) for passage in reply.passages}
    assert shown <= expected
    if strategy is not Strategy.KEYWORD:  # the vectors of all are alike: what may be found is
        assert shown == expected
    if not expected:
        assert any("Ningún pasaje contiene" in warning for warning in reply.warnings)


@pytest.mark.parametrize("strategy", LEGS)
async def test_in_a_sentence_a_phrase_that_nothing_holds_is_not_required(
    retriever: Retriever, org: UUID, phrases: None, strategy: Strategy
) -> None:
    reply = await found(retriever, org, '¿Qué es un "plazo devolución"?', strategy=strategy)
    assert PHRASES[0] in [passage.text for passage in reply.passages]
    assert reply.warnings == ["Ningún pasaje contiene «plazo devolución»: se ha buscado sin exigirlo."]
    held = await found(retriever, org, '¿Qué dice "hay un plazo" de «viajes»?', strategy=strategy)
    assert [passage.text for passage in held.passages] == [PHRASES[1]]


@pytest.mark.parametrize(
    "query", ["¿servicio post-venta?", "- ¿qué plazo?", "-Hola, ¿qué plazo?", "plazo -si lo hay- de devolución"]
)
async def test_hyphens_of_ordinary_questions_exclude_nothing(
    retriever: Retriever, org: UUID, phrases: None, query: str
) -> None:
    reply = await found(retriever, org, query)
    assert len(reply.passages) == len(PHRASES)
    assert reply.warnings == []


async def test_a_phrase_is_sought_in_the_title_and_in_what_is_shown_of_a_chunk(
    database: Database, retriever: Retriever, org: UUID
) -> None:
    first = SeedChunk("El cierre anual del obrador.")
    second = SeedChunk("Otra cosa.", repeats="El cierre anual del obrador. ")
    await seed(database, org, SeedDocument("Calendario laboral", [first, second]))
    assert await texts(retriever, org, '"cierre anual"') == [first.body]
    assert len(await texts(retriever, org, '"calendario laboral"')) == 2
    assert await texts(retriever, org, '"laboral el cierre"') == []


async def test_a_phrase_never_shows_what_filters_or_tenancy_hide(
    database: Database, retriever: Retriever, org: UUID, other_org: UUID, phrases: None
) -> None:
    await seed(database, other_org, document("Suyo", "El plazo de devolución suyo."))
    board = document("Consejo", "El plazo de devolución oculto.", columns={"audience": ["consejo"]})
    await seed(database, org, board)
    for strategy in LEGS:
        reply = await found(retriever, org, '"plazo de devolución"', "tienda", strategy=strategy)
        assert {passage.text for passage in reply.passages} == {PHRASES[0], PHRASES[2]}
        narrowed = await found(
            retriever,
            org,
            '"plazo de devolución"',
            strategy=strategy,
            filters=Filters(document_ids=[board.document_id]),
        )
        assert [passage.text for passage in narrowed.passages] == ["El plazo de devolución oculto."]


async def test_an_excluded_word_is_not_embedded(retriever: Retriever, encoder: Any, org: UUID, phrases: None) -> None:
    await found(retriever, org, "plazo -precio")
    assert encoder.encoded == ["plazo"]


@pytest.mark.parametrize("fusion", Fusion)
@pytest.mark.parametrize("strategy", LEGS)
async def test_pages_are_parts_of_one_ranking(
    database: Database, retriever: Retriever, org: UUID, strategy: Strategy, fusion: Fusion
) -> None:
    bodies = [f"El plazo de devolución número {n % 4}." for n in range(23)]
    await seed(database, org, document("Uno", *bodies[:11]), document("Otro", *bodies[11:]))
    whole = await found(retriever, org, "plazo de devolución", strategy=strategy, fusion=fusion, limit=50)
    assert len(whole.passages) == 23
    assert whole.next_offset is None
    paged: list[UUID] = []
    offset: int | None = 0
    while offset is not None:
        reply = await found(
            retriever, org, "plazo de devolución", strategy=strategy, fusion=fusion, limit=5, offset=offset
        )
        paged += [passage.chunk_id for passage in reply.passages]
        offset = reply.next_offset
    assert paged == [passage.chunk_id for passage in whole.passages]
    beyond = await found(retriever, org, "plazo", strategy=strategy, fusion=fusion, offset=900)
    assert (beyond.passages, beyond.next_offset) == ([], None)
