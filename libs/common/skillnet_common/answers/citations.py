"""Citations of an LLM's answer: read in the forms LLMs write them, and checked against what the sources say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skillnet_common.contracts.retrieval import Source
from skillnet_common.text.figures import Date, dates, figure_values, figures
from skillnet_common.text.sentences import sentence_spans
from skillnet_common.text.words import fold

# Bounds and possessive quantifiers keep the time linear in the answer's length, whatever it holds.
_GAP = r"\s{0,8}"
_AGAIN = r"(?:(?:fuentes?|sources?)\s{1,8})?"
_NUMBERS = rf"\d++(?:{_GAP}(?:,|;|y|e|and|&|-|–){_GAP}{_AGAIN}\d++)*"
MARK = re.compile(
    rf"\*{{0,2}}[\[(【]{_GAP}(?:fuentes?|sources?|f)\.?{_GAP}(?:n\.?º{_GAP})?({_NUMBERS})"
    rf"(?:{_GAP}(?::|,{_GAP}p[áa]g|,{_GAP}p\.)[^\])】\n]{{0,300}}+)?{_GAP}[\])】]\*{{0,2}}",
    re.IGNORECASE,
)
"""A citation in any of the forms that LLMs write."""
_RANGE = re.compile(rf"(?<!\d)(\d{{1,9}}){_GAP}[-–]{_GAP}{_AGAIN}(\d{{1,9}})(?!\d)", re.IGNORECASE)
_BEYOND = 10**9
"""Stands for every number of more than nine digits, none of which is read: no source has such a number."""
_QUOTE = re.compile(r"«([^«»]+)»|“([^“”]+)”|\"([^\"\n]+)\"")
_ENUMERATOR = re.compile(r"^\s*(?:[-*•]\s+)?(?:\d{1,2}[.)]\s+)?")
_SHORTEST_QUOTE = 2  # words
_LONGEST_PIECE = 4_000  # characters
_CANONICAL = re.compile(r"\[Fuente (\d{1,9})\]")


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
        named = [f"{number} o mayor" if number == _BEYOND else str(number) for number in self.unknown]
        notes = [f"La respuesta citaba una fuente que no existe: {number}." for number in named]
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
    known: dict[tuple[int, ...], _Stated] = {}
    unsupported: list[Unsupported] = []
    for sentence, numbers in _cited_sentences(text, by_number, language):
        if numbers not in known:
            known[numbers] = _stated([by_number[number] for number in numbers])
        unsupported += _findings(sentence, numbers, known[numbers])
    return CheckedAnswer(text, list(_cited(text, by_number)), list(dict.fromkeys(unknown)), unsupported)


def numbers_of(written: str) -> list[int]:
    """The numbers that a mark names, its first group: lists and ranges, each number once."""
    numbers: list[int] = []
    for piece in re.split(r"\s*(?:,|;|\by\b|\be\b|\band\b|&)\s*", written, flags=re.IGNORECASE):
        span = _RANGE.search(piece)
        if span is not None and 0 <= int(span[2]) - int(span[1]) <= 50:
            numbers.extend(range(int(span[1]), int(span[2]) + 1))
        else:
            numbers.extend(_number(written) for written in re.findall(r"\d+", piece))
    return list(dict.fromkeys(numbers))


def _number(digits: str) -> int:
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= 9 else _BEYOND


def _cited(text: str, by_number: Mapping[int, Source]) -> tuple[int, ...]:
    """The sources of its marks. A mark may stand for none where another one was taken out of its midst."""
    written = dict.fromkeys(int(match[1]) for match in _CANONICAL.finditer(text))
    return tuple(number for number in written if number in by_number)


def _tidied(text: str) -> str:
    """Without the spaces that a dropped mark leaves before a full stop or at a line's end."""
    text = re.sub(r"(?<![ \t])[ \t]++([.,;:])", r"\1", text)
    return re.sub(r"(?<![ \t])[ \t]++$", "", text, flags=re.MULTILINE)


def _cited_sentences(
    text: str, by_number: Mapping[int, Source], language: str
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Sentences with the numbers they cite. Marks after the full stop belong to the sentence before them."""
    joined = re.sub(r"([.!?…»”\"])\s*+((?:\[Fuente \d++\]\s*+)+)", _mark_before_stop, text)
    for line in joined.splitlines():
        body = _ENUMERATOR.sub("", line, count=1)
        for piece in _pieces(body):
            for start, end in sentence_spans(piece, 0, len(piece), language):
                sentence = piece[start:end]
                numbers = _cited(sentence, by_number)
                if numbers:
                    yield " ".join(_CANONICAL.sub("", sentence).split()), numbers


def _pieces(line: str) -> Iterator[str]:
    """A line in pieces that the splitter, whose time is not linear, takes at once; cut behind a mark where it can."""
    begin = 0
    while begin < len(line):
        end = begin + _LONGEST_PIECE
        if end < len(line):
            end = line.rfind("]", begin, end) + 1 or end
        yield line[begin:end]
        begin = end


def _mark_before_stop(match: re.Match[str]) -> str:
    marks = "".join(match[2].split("\n"))
    if match[1] in ".!?…":
        return f" {marks.rstrip()}{match[1]} "
    return f"{match[1]} {marks}"


@dataclass(frozen=True, slots=True)
class _Stated:
    """What the sources of a sentence state."""

    squeezed: str
    dates: Sequence[Date]
    figures: frozenset[str]


def _stated(sources: Sequence[Source]) -> _Stated:
    """Of their texts, and of the titles and headings they stand under."""
    text = "\n".join("\n".join([source.document_title, *source.section_path, source.text]) for source in sources)
    known = tuple(dict.fromkeys(date for _, date in dates(text)))
    return _Stated(_squeezed(text), known, frozenset(figure_values(text)))


def _findings(sentence: str, numbers: tuple[int, ...], stated: _Stated) -> Iterator[Unsupported]:
    unsupported: list[Unsupported] = []

    def without_unsupported(match: re.Match[str]) -> str:
        quote = match[1] or match[2] or match[3]
        if len(quote.split()) < _SHORTEST_QUOTE or _squeezed(quote) in stated.squeezed:
            return match[0]
        unsupported.append(Unsupported("quote", quote.strip(), sentence, numbers))
        return " "  # its figures are reported with it

    rest = _QUOTE.sub(without_unsupported, sentence)
    yield from unsupported
    written_dates = dates(rest)
    for written, date in written_dates:
        if not any(date.agrees_with(known) for known in stated.dates):
            yield Unsupported("date", written, sentence, numbers)
    folded_rest = _without(fold(rest), [written for written, _ in written_dates])
    for written, value in figures(folded_rest):
        if value not in stated.figures:
            yield Unsupported("figure", written, sentence, numbers)


def _without(text: str, pieces: Sequence[str]) -> str:
    """With a space for each of the pieces, the longer first where one begins as another does."""
    if not pieces:
        return text
    longest_first = sorted(set(pieces), key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), " ", text)


def _squeezed(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
