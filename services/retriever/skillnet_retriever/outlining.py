"""Questions answered by the outline: the parts of a course or of documents that fit, read whole; no embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from skillnet_common.contracts.outlines import OutlinePart, OutlineReply
from skillnet_common.contracts.retrieval import Evidence, Fusion, Question, Strategy
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.evidence import Judgement, judge, names_absent_code
from skillnet_retriever.domain.fusion import Ranked, fuse
from skillnet_retriever.domain.outline import Part, RankedPart, choose_parts, foremost, rank_parts
from skillnet_retriever.domain.routing import Route, outline_route, whole_document
from skillnet_retriever.legs import KeywordLeg
from skillnet_retriever.settings import RetrieverSettings

_MOST_PARTS_SHOWN = 200
_OPENING_CHARS = 300

_NO_MODULES = "El curso no tiene módulos que se puedan leer."
_NO_PARTS = "No hay ningún índice de secciones en el ámbito."
_TOO_LARGE = "El ámbito es demasiado grande para elegir en su índice."
_NARROWED = "Los filtros dejan fuera partes de los documentos, y el índice las lee enteras."
_NO_FIT = "Ninguna parte del índice contiene las palabras de la pregunta."
_DENIED = "Según la petición, ninguna parte del índice trata de la pregunta."


@dataclass(frozen=True, slots=True)
class Outlined:
    """What the chosen parts hold: their best passages in `ranking`, and all their chunks in reading order."""

    route: Route
    pool: Pool
    ranking: list[Ranked]
    judgement: Judgement
    chunk_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class Declined:
    """Why no part was chosen, as a sentence."""

    reason: str


def wants_outline(request: Question) -> bool:
    """Whether the outline is tried first: where it is asked for, and inside a course."""
    return request.strategy is Strategy.OUTLINE or (
        request.strategy is Strategy.AUTO and request.filters.course_id is not None
    )


async def read_by_outline(
    snapshot: Snapshot, query: str, request: Question, settings: RetrieverSettings, *, semantic_model: bool
) -> Outlined | Declined | None:
    """The parts that fit the question. None where no outline was asked for and the course has not been put: nothing
    names it either, or a single document that is small enough to be read whole."""
    asked_for = request.strategy is Strategy.OUTLINE
    if snapshot.is_narrowed:
        return Declined(_NARROWED)
    outline = await snapshot.outline(most_chunks=settings.outline_max_chunks)
    if outline.parts is None:
        return Declined(_TOO_LARGE)
    leg = await snapshot.keyword_leg(query, candidates=settings.search_candidates)
    is_small = not outline.parts or whole_document(leg.documents, settings.full_text_pages) is not None
    if is_small and not asked_for and not outline.is_course:
        return None
    if not outline.parts:
        return Declined(_NO_MODULES if outline.is_course else _NO_PARTS)
    if request.outline_parts is not None and not request.outline_parts:
        return Declined(_DENIED)
    named = _named(outline.parts, request.outline_parts or ())
    parts = named or choose_parts(
        _ranking(outline.parts, leg), most=settings.outline_max_parts, share=settings.outline_share
    )
    route = outline_route(
        [part.name for part in parts],
        in_course=request.filters.course_id is not None,
        are_modules=outline.is_course,
        are_named=bool(named),
    )
    outlined = _outlined(route, parts, leg, settings, named=bool(named), semantic_model=semantic_model)
    return outlined if parts and outlined.judgement.sufficient else Declined(_NO_FIT)


async def show_outline(snapshot: Snapshot, query: str | None, settings: RetrieverSettings) -> OutlineReply:
    """The parts to choose from, each with how it begins; none where there is no outline. Of a large one the best for
    the question, or the first where there is none."""
    outline = await snapshot.outline(most_chunks=settings.outline_max_chunks)
    every = outline.parts or []
    ranking: list[RankedPart] = []
    if query is not None and every:
        ranking = _ranking(every, await snapshot.keyword_leg(query, candidates=settings.search_candidates))
    parts = foremost(every, ranking, _MOST_PARTS_SHOWN)
    openings = await snapshot.texts([part.chunks[0].chunk_id for part, _ in parts])
    return OutlineReply(
        is_course=outline.is_course,
        parts=[
            OutlinePart(
                part_id=part.part_id,
                document_id=part.document_id,
                document_title=part.document_title,
                path=list(part.path),
                headings=list(part.headings),
                opening=openings[part.chunks[0].chunk_id].shown_text[:_OPENING_CHARS],
                rank=rank,
            )
            for part, rank in parts
            if part.chunks[0].chunk_id in openings
        ],
        omitted=len(every) - len(parts),
    )


def _named(parts: Sequence[Part], part_ids: Iterable[str]) -> list[Part]:
    """In the order they are named; unknown ones are dropped."""
    by_id = {part.part_id: part for part in parts}
    return [by_id[one] for one in dict.fromkeys(part_ids) if one in by_id]


def _ranking(parts: Sequence[Part], leg: KeywordLeg) -> list[RankedPart]:
    def best_coverage(part: Part) -> float:
        best = leg.within(_places([part]), limit=1)
        return max(map(best.coverage, best.candidates), default=0.0)

    return rank_parts(parts, leg.sought, leg.postings, best_coverage)


def _outlined(
    route: Route,
    parts: Sequence[Part],
    leg: KeywordLeg,
    settings: RetrieverSettings,
    *,
    named: bool,
    semantic_model: bool,
) -> Outlined:
    pool = leg.within(_places(parts), limit=settings.search_candidates)
    ranking = fuse(pool, Fusion.COVERAGE, 0.0)
    judgement = judge(pool, ranking, None)
    evidence = judgement.evidence.model_copy(update={"semantic_model": semantic_model})
    return Outlined(
        route,
        pool,
        ranking,
        replace(
            judgement, evidence=evidence, sufficient=judgement.sufficient or (named and _speaks_of(pool, evidence))
        ),
        list(_places(parts).values()),
    )


def _speaks_of(pool: Pool, evidence: Evidence) -> bool:
    """Whether parts that somebody chose hold anything of what is asked: a choice alone is no ground."""
    return (evidence.term_coverage or 0.0) > 0 and not names_absent_code(pool)


def _places(parts: Sequence[Part]) -> dict[int, UUID]:
    """The chunks of the parts by their places; one that two parts link stands once."""
    return {chunk.key: chunk.chunk_id for part in parts for chunk in part.chunks}
