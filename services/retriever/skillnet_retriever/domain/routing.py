"""How a question is answered: by the whole of one small document, or by searching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from skillnet_common.contracts.retrieval import Strategy


@dataclass(frozen=True, slots=True)
class ScopeDocument:
    """A document of the scope, as far as the router looks at it. `page_count` may be an estimate or unknown."""

    document_id: UUID
    title: str
    page_count: int | None
    has_full_text: bool


@dataclass(frozen=True, slots=True)
class Route:
    """The strategy and, in a sentence, why. `document` is the one that is read whole."""

    strategy: Strategy
    reason: str
    document: ScopeDocument | None = None
    warning: str | None = None


_NO_MEANING = "El modelo de embeddings es de prueba y no entiende el significado: se busca solo por palabras."
_UNSENT = "La pregunta no puede salir del sistema: se busca solo por palabras."
_WITHIN = "Se busca por significado y por palabras en el mismo ámbito."
_REASONS = {
    Strategy.SEMANTIC: "La petición pide buscar solo por significado.",
    Strategy.KEYWORD: "La petición pide buscar solo por palabras.",
    Strategy.HYBRID: "La petición pide buscar por significado y por palabras.",
}


def outline_route(parts: Sequence[str], *, in_course: bool, are_modules: bool, are_named: bool) -> Route:
    """The parts of an outline that are read, by their names. `in_course`: the scope is a course's, whose parts
    `are_modules` where it has been put, else sections of the documents that name it."""
    named = ", ".join(f"«{name}»" for name in parts)
    one, several = ("el módulo", "los módulos") if are_modules else ("la parte", "las partes")
    kind = one if len(parts) == 1 else several
    where = "El ámbito es un curso" if in_course else "La petición pide buscar en el índice"
    how = "según los nombra la petición" if are_named else "por las palabras de la pregunta"
    return Route(Strategy.OUTLINE, f"{where}: de su índice se leen, {how}, {kind} {named}.")


def declined_route(declined: str, *, semantic_model: bool, may_embed: bool) -> Route:
    """The scope is searched, never read whole, since its outline, tried first, has no part that fits: `declined`."""
    route = choose_route(Strategy.HYBRID, (), small_pages=0, semantic_model=semantic_model, may_embed=may_embed)
    reason = _WITHIN if route.strategy is Strategy.HYBRID else route.reason
    return replace(route, reason=f"{declined} {reason}")


def choose_route(
    wanted: Strategy,
    documents: Sequence[ScopeDocument],
    *,
    small_pages: int,
    semantic_model: bool,
    may_embed: bool = True,
) -> Route:
    """`documents` are up to two of the scope, none where no whole document may be read; two mean several. Without a
    semantic model, or where the question may not be sent to be embedded, only words are searched."""
    route = _whole_document(wanted, documents, small_pages)
    if route is not None:
        return route
    if wanted is not Strategy.KEYWORD and not (semantic_model and may_embed):
        return Route(Strategy.KEYWORD, _UNSENT if semantic_model else _NO_MEANING)
    if wanted in _REASONS:
        return Route(wanted, _REASONS[wanted])
    if wanted is Strategy.FULL_TEXT:
        return Route(
            Strategy.HYBRID,
            "Se busca por significado y por palabras.",
            warning="El texto completo solo se lee de un único documento que lo conserve; se ha buscado en él.",
        )
    if len(documents) == 1:
        return Route(Strategy.HYBRID, "El documento es demasiado largo para leerlo entero: se buscan sus pasajes.")
    return Route(Strategy.HYBRID, "Se busca por significado y por palabras en todo el ámbito.")


def whole_document(documents: Sequence[ScopeDocument], small_pages: int) -> ScopeDocument | None:
    """The only document of the scope, where it is small enough to be read whole unasked."""
    only = documents[0] if len(documents) == 1 else None
    if only is None or not only.has_full_text or only.page_count is None or only.page_count > small_pages:
        return None
    return only


def _whole_document(wanted: Strategy, documents: Sequence[ScopeDocument], small_pages: int) -> Route | None:
    if wanted is Strategy.FULL_TEXT and len(documents) == 1 and documents[0].has_full_text:
        only = documents[0]
        return Route(Strategy.FULL_TEXT, f"La petición pide el texto completo de «{only.title}».", only)
    small = whole_document(documents, small_pages)
    if wanted is Strategy.AUTO and small is not None:
        pages = "una página" if small.page_count == 1 else f"{small.page_count} páginas"
        return Route(Strategy.FULL_TEXT, f"El ámbito es un solo documento de {pages}: se lee entero.", small)
    return None
