"""On what an answer can stand: found passages, a whole document, general knowledge, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Evidence, Rung
from skillnet_retriever.domain.evidence import Judgement
from skillnet_retriever.domain.routing import ScopeDocument

_DOCUMENT_SHARE = 1 / 3
"""A document is read whole where it holds this share of the question's terms."""
_NAMED_TERMS = 4
_WORTH_NAMING = 0.2
_NO_GENERAL = "Con conocimiento general no se responde: no se permite, o no hay un modelo de lenguaje que lo haga."
"""The retriever is told whether it may, not why not."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The rung, why in a sentence, and the document that is read whole on the rung `document`."""

    rung: Rung
    reason: str
    document: ScopeDocument | None = None


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A small document of the scope and how many of the question's `terms_asked` terms it holds."""

    document: ScopeDocument
    terms_held: int
    terms_asked: int

    @property
    def is_close(self) -> bool:
        """Whether the document speaks of what is asked at all."""
        return self.terms_asked > 0 and self.terms_held / self.terms_asked >= _DOCUMENT_SHARE


def choose_ground(
    judgement: Judgement,
    *,
    has_documents: bool,
    read_whole: ScopeDocument | None,
    closest: WholeDocument | None,
    allow_general: bool,
) -> Ground:
    """`read_whole`: the scope's only document, where the router chose its full text. `closest`: the small document
    that holds most of the question's terms."""
    if judgement.sufficient:
        if read_whole is not None:
            return Ground(
                Rung.DOCUMENT,
                f"Se lee entero «{read_whole.title}»; sus pasajes {_figures(judgement.evidence)}",
                read_whole,
            )
        return Ground(Rung.CHUNKS, f"Los pasajes encontrados {_figures(judgement.evidence)}")
    if closest is not None and closest.is_close:
        return Ground(
            Rung.DOCUMENT,
            f"Ningún pasaje responde con claridad; se lee entero «{closest.document.title}», el documento que más"
            f" términos de la pregunta contiene ({closest.terms_held} de {closest.terms_asked}).",
            closest.document,
        )
    missing = _missing(judgement.evidence) if has_documents else "No hay ningún documento donde buscar"
    if allow_general:
        return Ground(Rung.GENERAL, f"{missing}: la respuesta sale del conocimiento general, sin fuentes.")
    return Ground(Rung.NONE, f"{missing}. {_NO_GENERAL}")


def _figures(evidence: Evidence) -> str:
    """What the passages have, as the end of a sentence. A few common words are not worth their mention."""
    coverage = evidence.term_coverage or 0
    words = f"contienen el {_percent(coverage)} de las palabras clave de la pregunta"
    if evidence.top_similarity is None or evidence.similarity_margin is None or not evidence.semantic_model:
        return f"{words}."
    similarity, margin = _decimal(evidence.top_similarity), _decimal(evidence.similarity_margin)
    nearness = f"la similitud del mejor ({similarity}) supera en {margin} la mediana"
    if coverage < _WORTH_NAMING:
        return f"se parecen a la pregunta por su significado: {nearness}."
    return f"{words} y {nearness}."


def _missing(evidence: Evidence) -> str:
    named = ", ".join(f"«{term}»" for term in evidence.missing_terms[:_NAMED_TERMS])
    where = f" (en los pasajes más cercanos no aparece {named})" if named else ""
    return f"Los documentos que puedes ver no parecen tratar de esto{where}"


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _decimal(value: float) -> str:
    return f"{value:.2f}".replace(".", ",")
