"""Questions inside a course: from its outline, without embeddings, cited by module and lesson."""

from __future__ import annotations

from tests.integration.courses.conftest import COURSE, Platform, lesson, shop_course
from tests.integration.retriever.conftest import asker

from skillnet_common.contracts.retrieval import Filters, Rung, Strategy

FUND = "¿De cuánto es el fondo de caja por la mañana?"


async def test_the_module_that_fits_is_read_and_its_lesson_cited(platform: Platform) -> None:
    reply = await platform.put(shop_course())
    ground = await platform.ask(FUND)
    assert (ground.rung, ground.strategy) == (Rung.CHUNKS, Strategy.OUTLINE)
    assert "«Caja»" in ground.strategy_reason
    best = max(ground.sources, key=lambda source: source.score or 0)
    assert best.document_id == reply.document_id
    assert (best.document_title, best.section_path) == ("Acogida en tienda", ["Caja", "Abrir"])
    assert "150 euros" in best.text
    assert best.label == f"Fuente {best.number}: Acogida en tienda > Caja > Abrir"
    assert all(source.section_path[0] == "Caja" for source in ground.sources)
    assert "informe Z" in ground.context
    assert platform.encoder.encoded == []


async def test_several_modules_are_read_where_the_question_is_of_several(platform: Platform) -> None:
    await platform.put(shop_course())
    ground = await platform.ask("¿Cuándo se firma el albarán y dónde se guarda el informe Z?")
    assert ground.strategy is Strategy.OUTLINE
    assert {source.section_path[0] for source in ground.sources} >= {"Caja", "Almacén"}


async def test_a_lessons_documents_are_read_with_it(platform: Platform) -> None:
    manual = await platform.line.publish("manual", "# Manual\n\nSin tique se entrega un vale de compra.")
    await platform.put(shop_course(manual.document_id))
    ground = await platform.ask("¿Qué se entrega sin tique?")
    assert ground.strategy is Strategy.OUTLINE
    assert "«Clientes»" in ground.strategy_reason
    assert manual.document_id in {source.document_id for source in ground.sources}
    assert "vale de compra" in ground.context


async def test_a_document_that_only_names_the_course_is_a_part_of_its_own(platform: Platform) -> None:
    await platform.put(shop_course())
    manual = await platform.line.publish(
        "manual", "# Manual del aparcamiento\n\nEl parking de empleados cuesta dos euros.", courses=[COURSE]
    )
    assert manual.document_id in {part.document_id for part in (await platform.outline()).parts}
    ground = await platform.ask("¿Cuánto cuesta el parking de empleados?")
    assert ground.strategy is Strategy.OUTLINE
    assert {source.document_id for source in ground.sources} == {manual.document_id}
    assert "«Caja»" in (await platform.ask(FUND)).strategy_reason


async def test_the_budget_holds_and_the_best_comes_first(platform: Platform) -> None:
    course = shop_course()
    long = "\n\n".join(f"La caja número {n} tiene su propia llave y su propio cajón." for n in range(60))
    caja = course.modules[0].model_copy(
        update={"lessons": [*course.modules[0].lessons, lesson("c3", "Llaves", long)]}
    )
    await platform.put(course.model_copy(update={"modules": [caja, *course.modules[1:]]}))
    ground = await platform.ask(FUND, token_budget=150)
    assert ground.token_count <= 150
    assert "150 euros" in ground.context
    assert ground.dropped > 0


async def test_where_no_module_fits_the_course_is_searched(platform: Platform) -> None:
    await platform.put(shop_course())
    other = await platform.line.publish("otro", "# Otro\n\nEl parking cuesta dos euros.")
    ground = await platform.ask("¿Cuánto cuesta el parking de empleados en verano?")
    assert ground.strategy is Strategy.HYBRID
    assert ground.strategy_reason.startswith("Ninguna parte del índice")
    assert other.document_id not in {source.document_id for source in ground.sources}
    assert len(platform.encoder.encoded) == 1


MANUAL = "# Manual\n\n## Apertura\n\nEl fondo de caja de la mañana es de 150 euros.\n\n## Cierre\n\nSe imprime el Z."


async def test_documents_alone_that_name_a_course_are_its_outline(platform: Platform) -> None:
    manual = await platform.line.publish("manual", MANUAL, courses=[COURSE])
    await platform.line.publish("almacen", "# Almacén\n\nEl albarán se firma al recibir el camión.", courses=[COURSE])
    ground = await platform.ask(FUND)
    assert (ground.rung, ground.strategy) == (Rung.CHUNKS, Strategy.OUTLINE)
    assert ground.strategy_reason.startswith("El ámbito es un curso")
    assert "la parte «Apertura»" in ground.strategy_reason
    assert {source.document_id for source in ground.sources} == {manual.document_id}
    assert platform.encoder.encoded == []
    chosen = [part.part_id for part in (await platform.outline()).parts if part.path[-1:] == ["Apertura"]]
    named = await platform.ask(FUND, outline_parts=chosen)
    assert "según los nombra la petición" in named.strategy_reason
    beside = await platform.ask("¿Cuánto cuesta el aparcamiento de empleados?")
    assert beside.strategy is Strategy.HYBRID
    assert beside.strategy_reason.startswith("Ninguna parte del índice")


async def test_a_small_document_that_alone_names_a_course_is_read_whole(platform: Platform) -> None:
    await platform.line.publish("manual", MANUAL, courses=[COURSE])
    assert (await platform.ask(FUND)).strategy is Strategy.FULL_TEXT
    assert (await platform.ask(FUND, strategy=Strategy.OUTLINE)).strategy is Strategy.OUTLINE


async def test_a_course_that_nothing_names_is_searched(platform: Platform) -> None:
    await platform.line.publish("manual", MANUAL)
    ground = await platform.ask(FUND, allow_general=False)
    assert (ground.rung, ground.strategy, ground.sources) == (Rung.NONE, Strategy.HYBRID, [])


async def test_a_replaced_course_answers_as_it_is_now(platform: Platform) -> None:
    await platform.put(shop_course())
    course = shop_course()
    caja = course.modules[0].model_copy(
        update={"lessons": [lesson("c1", "Abrir", "El fondo de caja es de 90 euros.")]}
    )
    await platform.courses.put(platform.principal, COURSE, course.model_copy(update={"modules": [caja]}))
    assert "150 euros" in (await platform.ask(FUND)).context
    await platform.line.drain()
    context = (await platform.ask(FUND)).context
    assert "90 euros" in context
    assert "150 euros" not in context


async def test_a_course_of_one_module_is_chosen_from_by_lesson(platform: Platform) -> None:
    course = shop_course()
    await platform.put(course.model_copy(update={"modules": course.modules[:1]}))
    assert [part.path for part in (await platform.outline()).parts if part.path] == [
        ["Caja"],
        ["Caja", "Abrir"],
        ["Caja", "Cerrar"],
    ]
    ground = await platform.ask(FUND)
    assert [source.section_path for source in ground.sources] == [["Caja", "Abrir"]]


async def test_a_model_chooses_parts_and_unknown_ones_are_dropped(platform: Platform) -> None:
    await platform.put(shop_course())
    outline = await platform.outline()
    assert outline.is_course
    parts = {part.path[-1]: part for part in outline.parts if part.path}
    assert parts["Caja"].headings == ["Abrir", "Cerrar"]
    chosen = await platform.ask(f"{FUND} ¿Y en el almacén?", outline_parts=["nadie/nada", parts["Almacén"].part_id])
    assert (chosen.rung, chosen.strategy) == (Rung.CHUNKS, Strategy.OUTLINE)
    assert {source.section_path[0] for source in chosen.sources} == {"Almacén"}
    assert "según los nombra la petición" in chosen.strategy_reason
    ranked = await platform.ask(FUND, outline_parts=["nadie/nada"])
    assert {source.section_path[0] for source in ranked.sources} == {"Caja"}
    beside = await platform.ask(FUND, outline_parts=[parts["Almacén"].part_id])
    assert beside.strategy is Strategy.HYBRID, "a choice alone is no ground: the part holds nothing of the question"
    none = await platform.ask(FUND, outline_parts=[])
    assert none.strategy is Strategy.HYBRID


async def test_of_a_large_outline_the_best_parts_for_the_question_are_told(platform: Platform) -> None:
    sections = [f"## Norma {number}\n\nLa norma interna número {number} de la empresa." for number in range(1, 250)]
    vacation = "## Vacaciones\n\nLas vacaciones se piden en enero."
    manual = await platform.line.publish("manual", "\n\n".join(["# Manual", *sections, vacation]), courses=[COURSE])
    first = await platform.outline()
    assert first.omitted == 50
    assert all(part.path[-1:] != ["Vacaciones"] and part.rank is None for part in first.parts)
    for asked in (
        await platform.outline("¿Cuándo se piden las vacaciones?"),
        await platform.outline("¿y cuándo se piden?", earlier=["¿Cuántas vacaciones tengo?"]),
    ):
        assert (len(asked.parts), asked.omitted) == (200, 50)
        assert (asked.parts[-1].path[-1], asked.parts[-1].rank) == ("Vacaciones", 1)
        assert [part.path for part in asked.parts[:2]] == [part.path for part in first.parts[:2]]
    ground = await platform.ask("¿Cuándo se piden las vacaciones?", strategy=Strategy.OUTLINE)
    assert {source.document_id for source in ground.sources} == {manual.document_id}


async def test_another_organisations_course_is_out_of_reach(platform: Platform, other_platform: Platform) -> None:
    await platform.put(shop_course())
    parts = [part.part_id for part in (await platform.outline()).parts]
    assert (await other_platform.outline()).parts == []
    ground = await other_platform.ask(FUND, outline_parts=parts, allow_general=False)
    assert (ground.rung, ground.sources) == (Rung.NONE, [])
    explicit = await other_platform.ask(FUND, strategy=Strategy.OUTLINE, outline_parts=parts, allow_general=False)
    assert (explicit.rung, explicit.sources) == (Rung.NONE, [])


async def test_a_course_of_a_group_is_not_read_to_others(platform: Platform) -> None:
    await platform.put(shop_course().model_copy(update={"audience": ["direccion"]}))
    outsider = asker(platform.principal.org_id, "tienda")
    hidden = await platform.ask(FUND, as_of=outsider, allow_general=False)
    assert (hidden.rung, hidden.sources) == (Rung.NONE, [])
    assert (await platform.ask(FUND, as_of=asker(outsider.org_id, "direccion"))).rung is Rung.CHUNKS


async def test_a_hidden_document_of_a_lesson_is_not_read_to_others(platform: Platform) -> None:
    secret = await platform.line.publish(
        "secreto", "# Secreto\n\nSin tique se entrega un vale de compra.", audience=["direccion"]
    )
    await platform.put(shop_course(secret.document_id))
    ground = await platform.ask("¿Qué se entrega sin tique?", as_of=asker(platform.principal.org_id, "tienda"))
    assert secret.document_id not in {source.document_id for source in ground.sources}


async def test_a_documents_sections_are_an_outline_too(platform: Platform) -> None:
    sections = [
        "# Manual\n\n## Vacaciones\n\nLas vacaciones son 23 días laborables.\n\nSe piden con un mes.",
        "## Nóminas\n\nLa nómina se paga el día 28.",
        "## Uniforme\n\nEl uniforme lo da la empresa.",
    ]
    manual = await platform.line.publish("manual", "\n\n".join(sections))
    filters = Filters(document_ids=[manual.document_id])
    ground = await platform.ask("¿Cuántos días de vacaciones hay?", filters=filters, strategy=Strategy.OUTLINE)
    assert (ground.rung, ground.strategy) == (Rung.CHUNKS, Strategy.OUTLINE)
    assert [source.section_path for source in ground.sources] == [["Manual", "Vacaciones"]]
    assert "Se piden con un mes" in ground.context
    assert platform.encoder.encoded == []


async def test_what_leaves_parts_out_has_no_outline(platform: Platform) -> None:
    await platform.put(shop_course())
    filters = Filters(course_id=COURSE, section_path=["Almacén"])
    ground = await platform.ask("¿Cuándo se firma el albarán?", filters=filters)
    assert ground.strategy is Strategy.HYBRID
    assert ground.strategy_reason.startswith("Los filtros dejan fuera")
