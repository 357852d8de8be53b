"""The router's choice, the judgement of evidence, and the rung."""

from __future__ import annotations

from uuid import UUID

import pytest

from skillnet_common.contracts.retrieval import Evidence, Fusion, Rung, Strategy
from skillnet_inference.identity import ModelIdentity, Provider
from skillnet_retriever.calibrations import carried_calibration, measured_calibration
from skillnet_retriever.domain.candidates import Candidate, Pool, QueryTerm
from skillnet_retriever.domain.evidence import OTHER_MODEL, Judgement, judge
from skillnet_retriever.domain.fusion import fuse
from skillnet_retriever.domain.ground import WholeDocument, choose_ground
from skillnet_retriever.domain.routing import Route, ScopeDocument, choose_route

SMALL = ScopeDocument(UUID(int=1), "Ficha", 2, True)
LARGE = ScopeDocument(UUID(int=2), "Manual", 40, False)


def route(wanted: Strategy, *documents: ScopeDocument, semantic_model: bool = True) -> Route:
    return choose_route(wanted, documents, small_pages=3, semantic_model=semantic_model)


def test_one_small_document_is_read_whole() -> None:
    chosen = route(Strategy.AUTO, SMALL)
    assert (chosen.strategy, chosen.document) == (Strategy.FULL_TEXT, SMALL)
    assert "2 páginas" in chosen.reason


@pytest.mark.parametrize(
    "documents",
    [
        (LARGE,),
        (SMALL, LARGE),
        (),
        (ScopeDocument(UUID(int=3), "Sin texto", 1, False),),
        (ScopeDocument(UUID(int=3), "Sin páginas", None, True),),
        (ScopeDocument(UUID(int=3), "Cuatro", 4, True),),
    ],
)
def test_everything_else_is_searched(documents: tuple[ScopeDocument, ...]) -> None:
    chosen = route(Strategy.AUTO, *documents)
    assert chosen.strategy is Strategy.HYBRID
    assert chosen.document is None
    assert chosen.reason


def test_what_the_caller_names_is_done() -> None:
    for wanted in (Strategy.SEMANTIC, Strategy.KEYWORD, Strategy.HYBRID):
        assert route(wanted, SMALL).strategy is wanted
    five = ScopeDocument(UUID(int=3), "Cinco", 5, True)
    assert route(Strategy.FULL_TEXT, five).document is five
    assert route(Strategy.FULL_TEXT, SMALL, LARGE).warning


def test_a_model_without_meaning_leaves_the_words() -> None:
    assert route(Strategy.AUTO, LARGE, semantic_model=False).strategy is Strategy.KEYWORD
    assert route(Strategy.SEMANTIC, LARGE, semantic_model=False).strategy is Strategy.KEYWORD
    assert route(Strategy.AUTO, SMALL, semantic_model=False).strategy is Strategy.FULL_TEXT


E5_SMALL = measured_calibration()
TERMS = (QueryTerm(1, "alérgenos", 4.0, 2), QueryTerm(2, "tienda", 1.0, 40))


def pool(cosines: list[float], matched: int, *, same_language: bool = True) -> Pool:
    found = [
        Candidate(
            UUID(int=n),
            UUID(int=0),
            1,
            n,
            cosine,
            1.0 if n == 0 and matched else None,
            matched if n == 0 else 0,
            n + 1,
            1 if n == 0 and matched else None,
            same_language,
        )
        for n, cosine in enumerate(cosines)
    ]
    return Pool(tuple(found), TERMS)


def verdict(candidates: Pool, calibration: object = E5_SMALL) -> Judgement:
    return judge(candidates, fuse(candidates, Fusion.COVERAGE, 0.5), calibration)  # type: ignore[arg-type]


def test_a_clear_passage_that_holds_the_words_suffices() -> None:
    judgement = verdict(pool([0.88, 0.80, 0.79, 0.78], 0b110))
    assert judgement.sufficient
    assert judgement.evidence.top_similarity == pytest.approx(0.88)
    assert judgement.evidence.similarity_margin == pytest.approx(0.88 - 0.795)
    assert judgement.evidence.term_coverage == pytest.approx(1)
    assert judgement.evidence.missing_terms == []


def test_passages_like_any_other_without_the_words_do_not() -> None:
    judgement = verdict(pool([0.815, 0.80, 0.79, 0.78], 0))
    assert not judgement.sufficient
    assert judgement.evidence.missing_terms == ["alérgenos", "tienda"]


def test_a_high_cosine_alone_is_no_evidence_where_every_passage_is_as_near() -> None:
    """Unrelated texts reach 0.82 with this model: it is the words that tell."""
    assert not verdict(pool([0.84, 0.835, 0.83, 0.83], 0)).sufficient
    assert verdict(pool([0.84, 0.80, 0.79, 0.79], 0b110)).sufficient


def test_across_languages_a_lower_cosine_suffices_without_a_common_word() -> None:
    figures = [0.83, 0.75, 0.74, 0.73]
    assert verdict(pool(figures, 0, same_language=False)).sufficient
    assert not verdict(pool(figures, 0)).sufficient
    assert not verdict(pool([0.77, 0.76, 0.75, 0.74], 0, same_language=False)).sufficient


def test_without_a_semantic_model_only_words_count() -> None:
    assert verdict(pool([0.99, 0.1, 0.1], 0b010), None).sufficient
    weak = verdict(pool([0.99, 0.1, 0.1], 0b100), None)
    assert not weak.sufficient
    assert weak.evidence.top_similarity is None
    assert not weak.evidence.semantic_model


def test_an_unmeasured_model_is_judged_by_words() -> None:
    assert carried_calibration(identity("some/other-model")) is OTHER_MODEL
    assert verdict(pool([0.3, 0.2, 0.1], 0b110), OTHER_MODEL).sufficient
    assert not verdict(pool([0.99, 0.2, 0.1], 0), OTHER_MODEL).sufficient


def test_nothing_found_is_not_enough() -> None:
    empty = Pool((), TERMS)
    assert not judge(empty, [], E5_SMALL).sufficient
    assert not judge(empty, [], None).sufficient
    assert not judge(Pool((), ()), [], None).sufficient


def identity(name: str) -> ModelIdentity:
    return ModelIdentity(name, Provider.LOCAL, 4, 512, "", "", "mean", "int8", "w", "t")


def test_a_fake_embedder_is_known_by_its_name() -> None:
    assert carried_calibration(identity("fixture/local")) is None
    assert carried_calibration(identity("intfloat/multilingual-e5-small")) == E5_SMALL


def evidence(**fields: object) -> Evidence:
    return Evidence.model_validate(
        {"term_coverage": 0.8, "top_similarity": 0.88, "similarity_margin": 0.05, **fields}
    )


def rung(sufficient: bool, **fields: object) -> tuple[Rung, str]:
    ground = choose_ground(
        Judgement(fields.pop("evidence", evidence()), sufficient),  # type: ignore[arg-type]
        **{"has_documents": True, "read_whole": None, "closest": None, "allow_general": True, **fields},  # type: ignore[arg-type]
    )
    return ground.rung, ground.reason


def test_the_rungs_from_the_top_down() -> None:
    close = WholeDocument(SMALL, terms_held=2, terms_asked=4)
    far = WholeDocument(SMALL, terms_held=1, terms_asked=4)
    assert rung(True)[0] is Rung.CHUNKS
    assert rung(True, read_whole=SMALL)[0] is Rung.DOCUMENT
    assert rung(False, closest=close)[0] is Rung.DOCUMENT
    assert rung(False, closest=far)[0] is Rung.GENERAL
    assert rung(False, closest=far, allow_general=False)[0] is Rung.NONE


def test_every_rung_says_why_in_a_sentence() -> None:
    assert rung(True)[1] == (
        "Los pasajes encontrados contienen el 80 % de las palabras clave de la pregunta"
        " y la similitud del mejor (0,88) supera en 0,05 la mediana."
    )
    assert "por su significado" in rung(True, evidence=evidence(term_coverage=0.1))[1]
    missing = evidence(missing_terms=["ulán", "bator"])
    assert "no aparece «ulán», «bator»" in rung(False, evidence=missing)[1]
    assert "No hay ningún documento" in rung(False, has_documents=False)[1]
    assert "no se permite" in rung(False, allow_general=False)[1]
    assert "2 de 4" in rung(False, closest=WholeDocument(SMALL, 2, 4))[1]
