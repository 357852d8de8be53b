"""Citations of an LLM's answer: read in the forms LLMs write them, and checked against what the sources say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skillnet_common.contracts.retrieval import Source
from skillnet_common.text.figures import dates, figure_values, figures
from skillnet_common.text.sentences import sentence_spans
from skillnet_common.text.words import fold

_NUMBERS = r"\d{1,3}(?:\s*(?:,|;|y|e|and|&|-|–)\s*(?:fuentes?\s+|sources?\s+)?\d{1,3})*"
MARK = re.compile(
    rf"\*{{0,2}}[\[(【]\s*(?:fuentes?|sources?|f)\.?\s*(?:n\.?º\s*)?({_NUMBERS})(?:\s*(?::|,\s*p[áa]g|,\s*p\.)[^\])】\n]*)?"
    rf"\s*[\])】]\*{{0,2}}",
    re.IGNORECASE,
)
"""A citation in any of the forms that LLMs write."""
_RANGE = re.compile(r"(\d{1,3})\s*[-–]\s*(?:fuentes?\s+|sources?\s+)?(\d{1,3})", re.IGNORECASE)
_QUOTE = re.compile(r"«([^«»]+)»|“([^“”]+)”|\"([^\"\n]+)\"")
_ENUMERATOR = re.compile(r"^\s*(?:[-*•]\s+)?(?:\d{1,2}[.)]\s+)?")
_SHORTEST_QUOTE = 2  # words
_CANONICAL = re.compile(r"\[Fuente (\d+)\]")


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something a cited sentence states that its sources do not: `kind` is `quote`, `figure` or `date`."""

    kind: str
    value: str
    sentence: str
    numbers: tuple[int, ...]

    def __str__(self) -> str:
        named = {"quote": "La cita literal", "figure": "La cifra", "date": "La fecha"}[self.kind]
        sources = ", ".join(str(number) for number in self.numbers)
        return f"{named} «{self.value}» no aparece en la fuente citada ({sources})."


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """`text` has every citation as `[Fuente N]` with N one of the sources; `citations` in order of first use."""

    text: str
    citations: list[int]
    unknown: list[int] = field(default_factory=list)
    """Numbers the answer named that stand for nothing; their marks are gone from `text`."""
    unsupported: list[Unsupported] = field(default_factory=list)

    @property
    def warnings(self) -> list[str]:
        """Sentences for the reader, one a finding."""
        notes = [f"La respuesta citaba una fuente que no existe: {number}." for number in self.unknown]
        return notes + [str(finding) for finding in self.unsupported]


def check_citations(answer: str, sources: Sequence[Source], language: str = "es") -> CheckedAnswer:
    """Brings the marks into one form, drops numbers that stand for no source, and looks up what is cited.

    Quotations of two words or more, figures and dates of a sentence with marks must stand in one of its sources.
    """
    by_number = {source.number: source for source in sources}
    unknown: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        numbers = numbers_of(match[1])
        unknown.extend(number for number in numbers if number not in by_number)
        return "".join(f"[Fuente {number}]" for number in numbers if number in by_number)

    text = _tidied(MARK.sub(rewrite, answer))
    citations = list(dict.fromkeys(int(match[1]) for match in _CANONICAL.finditer(text)))
    unsupported = [
        finding
        for sentence, numbers in _cited_sentences(text, language)
        for finding in _findings(sentence, numbers, by_number)
    ]
    return CheckedAnswer(text, citations, list(dict.fromkeys(unknown)), unsupported)


def numbers_of(written: str) -> list[int]:
    """The numbers that a mark names, its first group: lists and ranges, each number once."""
    numbers: list[int] = []
    for piece in re.split(r"\s*(?:,|;|\by\b|\be\b|\band\b|&)\s*", written, flags=re.IGNORECASE):
        span = _RANGE.search(piece)
        if span is not None and 0 <= int(span[2]) - int(span[1]) <= 50:
            numbers.extend(range(int(span[1]), int(span[2]) + 1))
        else:
            numbers.extend(int(number) for number in re.findall(r"\d+", piece))
    return list(dict.fromkeys(numbers))


def _tidied(text: str) -> str:
    """Without the spaces that a dropped mark leaves before a full stop or at a line's end."""
    text = re.sub(r"[ \t]+([.,;:])", r"\1", text)
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def _cited_sentences(text: str, language: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Sentences with the numbers they cite. Marks after the full stop belong to the sentence before them."""
    joined = re.sub(r"([.!?…»”\"])\s*((?:\[Fuente \d+\]\s*)+)", _mark_before_stop, text)
    for line in joined.splitlines():
        body = _ENUMERATOR.sub("", line, count=1)
        for start, end in sentence_spans(body, 0, len(body), language):
            sentence = body[start:end]
            numbers = tuple(dict.fromkeys(int(match[1]) for match in _CANONICAL.finditer(sentence)))
            if numbers:
                yield " ".join(_CANONICAL.sub("", sentence).split()), numbers


def _mark_before_stop(match: re.Match[str]) -> str:
    marks = "".join(match[2].split("\n"))
    if match[1] in ".!?…":
        return f" {marks.rstrip()}{match[1]} "
    return f"{match[1]} {marks}"


def _findings(sentence: str, numbers: tuple[int, ...], by_number: Mapping[int, Source]) -> Iterator[Unsupported]:
    cited = "\n".join(_stated(by_number[number]) for number in numbers)
    squeezed = _squeezed(cited)
    rest = sentence
    for match in _QUOTE.finditer(sentence):
        quote = match[1] or match[2] or match[3]
        if len(quote.split()) >= _SHORTEST_QUOTE and _squeezed(quote) not in squeezed:
            yield Unsupported("quote", quote.strip(), sentence, numbers)
            rest = rest.replace(match[0], " ")  # its figures are reported with it
    known_dates = [date for _, date in dates(cited)]
    folded_rest = fold(rest)
    for written, date in dates(rest):
        if not any(date.agrees_with(known) for known in known_dates):
            yield Unsupported("date", written, sentence, numbers)
        folded_rest = folded_rest.replace(written, " ")
    known_figures = figure_values(cited)
    for written, value in figures(folded_rest):
        if value not in known_figures:
            yield Unsupported("figure", written, sentence, numbers)


def _stated(source: Source) -> str:
    """What a source states: its text, and the title and headings it stands under."""
    return "\n".join([source.document_title, *source.section_path, source.text])


def _squeezed(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
