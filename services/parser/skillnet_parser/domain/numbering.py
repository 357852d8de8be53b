"""Headings that announce themselves by a label: `TÍTULO II`, `Artículo 5.`, `ANEXO`, `2.1.3`."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Divisions of legal and technical texts from the widest to the narrowest.
_DIVISIONS = (
    ("libro", "llibre", "book", "livro"),
    ("parte", "part"),
    (
        *("título", "titulo", "títol", "title", "titre", "disposición", "disposicion", "disposició"),
        *("anexo", "annex", "annexe", "anejo", "appendix", "apéndice"),
    ),
    ("capítulo", "capitulo", "capítol", "chapter", "chapitre", "tema", "módulo", "modulo", "unidad", "unidade"),
    ("sección", "seccion", "secció", "section", "seção", "lección", "leccion"),
    ("subsección", "subseccion", "subsection", "subseção"),
    ("artículo", "articulo", "article", "artigo", "cláusula", "clausula", "art."),
)
_RANKS = {word: rank for rank, words in enumerate(_DIVISIONS) for word in words}
_ORDINALS = (
    "preliminar|primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|sext[oa]|séptim[oa]|octav[oa]|noven[oa]|"
    r"décim[oa]|undécim[oa]|duodécim[oa]|decimo\w+|vig[ée]sim\w+|trig[ée]sim\w+|única?|único"
)
_LABEL = re.compile(
    rf"(?P<word>{'|'.join(map(re.escape, _RANKS))})\s+"
    rf"(?P<kind>adicional|transitoria|derogatoria|final)?\s*"
    rf"(?P<number>\d+(?:\.[ºª]|[.º°ª])?(?:\s+(?:bis|ter|quater|quinquies|sexies))?|[IVXLCDM]+\b|[A-Z]\b|(?:{_ORDINALS})\b"
    rf"(?:\s+(?:{_ORDINALS}))?)?",
    re.IGNORECASE,
)
_BARE_LABELS = re.compile(r"(anexos?|ap[ée]ndices?|pre[áa]mbulo|exposici[óo]n de motivos)\b[.:]?\s*$", re.IGNORECASE)
_CLAUSE = re.compile(rf"(?:{_ORDINALS})(?:\s+(?:{_ORDINALS}))?\s*[.:](?:\s*[-–—]+)?(?:\s+|$)", re.IGNORECASE)
_TITLED_ANNEX = re.compile(r"(?:ANEXO|APÉNDICE)[\s.:–—-]+(?=[A-ZÁÉÍÓÚÑ][a-záéíóúñ])")
_DECIMAL = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,4})(?P<end>[.)]?)(?:\s+|$)(?=\D|$)")
_SEPARATORS = " .:–—-\t"


@dataclass(frozen=True, slots=True)
class Label:
    """A heading's label. `family` is "division" (rank 0 the widest), "decimal" (rank = depth - 1) or "numeral"
    (Roman ones, then letters); `rest` is the title behind the label, "" where the label stands alone."""

    family: str
    rank: int
    rest: str


def read_label(text: str) -> Label | None:
    """The label a line begins with, or None.

    A word such as "Parte" or "Artículo" counts only with a number, a letter, an ordinal or a kind of
    disposition behind it, or alone where it may stand alone (ANEXO, PREÁMBULO), ANEXO also before its title. The
    clauses of contracts and the points of resolutions are numbered by ordinals alone: `SEGUNDA.- Duración`.
    """
    stripped = text.strip()
    if _BARE_LABELS.match(stripped):
        return Label("division", 2, stripped.strip(_SEPARATORS))
    match = _LABEL.match(stripped)
    if match and (match["number"] or match["kind"]) and _ends_label(stripped, match.end()):
        return Label("division", _RANKS[match["word"].lower()], stripped[match.end() :].strip(_SEPARATORS))
    clause = _CLAUSE.match(stripped)
    if clause and stripped[0].isupper():
        return Label("division", _RANKS["cláusula"], stripped[clause.end() :].strip(_SEPARATORS))
    annex = _TITLED_ANNEX.match(stripped)
    if annex:
        return Label("division", 2, stripped[annex.end() :])
    decimal = _DECIMAL.match(stripped)
    if decimal and not (stripped[decimal.end() :] and _looks_like_quantity(decimal["number"], decimal["end"])):
        depth = decimal["number"].count(".") + 1
        return Label("decimal", depth - 1, stripped[decimal.end() :].strip(_SEPARATORS))
    return None


def numbers_heading(label: Label) -> bool:
    """`Artículo 5` and `2.1` number a heading; `2.` may as well number a paragraph or an item."""
    if label.family == "division":
        return True
    return label.rank >= 1 and label.rest[:1].isupper()


def _ends_label(text: str, at: int) -> bool:
    """Whether the label is followed by a separator and not by the rest of a sentence: "Artículo 5. Objeto"
    and "Artículo 5 Objeto" are labels, "artículo 5 de la ley" and "Artículo 5 del Reglamento" are not."""
    rest = text[at:].lstrip()
    if not rest or rest[0] in ".:–—-(":
        return True
    return rest[0].isupper() or rest[0] in '«"“[¿¡'


def _looks_like_quantity(number: str, end: str) -> bool:
    """`2020 fue` and `30 días` are no numbering; `3. Objeto`, `3) Objeto` and `2.1 Objeto` are."""
    return not end and "." not in number and len(number) > 2
