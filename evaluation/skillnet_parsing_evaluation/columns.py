"""Reading order on pages of two and three columns, made by script: every sentence knows its place."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pymupdf

from skillnet_parsing_evaluation.outlines import fold

_WIDTH, _HEIGHT = 595.0, 842.0
_LEFT, _TOP, _BOTTOM = 56.0, 90.0, 780.0
_GAP = 18.0
_SIZE = 9.5
_LEADING = 12.0
_ROOM = 6  # lines that a frame must have left for another paragraph
_WORDS = (
    "la",
    "persona",
    "encargada",
    "revisa",
    "cada",
    "mañana",
    "pedido",
    "entrega",
    "albarán",
    "tienda",
    "cliente",
    "producto",
    "horario",
    "turno",
    "almacén",
    "pedidos",
    "cantidades",
    "obrador",
    "público",
    "semana",
    "factura",
    "proveedor",
    "contrato",
    "plazo",
    "medida",
    "registro",
    "control",
    "calidad",
    "limpieza",
    "seguridad",
    "temperatura",
    "informe",
    "responsable",
    "equipo",
    "reunión",
    "acuerdo",
    "formación",
    "prueba",
    "resultado",
    "objetivo",
)


@dataclass(slots=True)
class ColumnPage:
    """A document of several columns: where it lies and its sentences in the order a person reads them."""

    path: Path
    sentences: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OrderScore:
    """Kendall's tau of the sentences found, and the share of neighbours still next to each other."""

    tau: float
    adjacent: float


def make_column_pages(folder: Path, *, count: int, seed: int) -> Iterator[ColumnPage]:
    """Documents of two or three columns that differ in headings, full-width titles, ragged ends, tables of
    figures and the order in which the file writes its lines."""
    for number in range(count):
        chooser = random.Random(seed + number)  # noqa: S311 - for a page that is the same every time
        yield _Maker(chooser, folder / f"columns-{number}.pdf").make()


class _Maker:
    """Sets one document."""

    def __init__(self, chooser: random.Random, path: Path) -> None:
        self._random = chooser
        self._made = ColumnPage(path)
        self._count = 0
        self._lines: list[tuple[float, float, str, float, str]] = []

    def make(self) -> ColumnPage:
        document = pymupdf.open()
        columns = self._random.choice((2, 2, 3))
        for number in range(self._random.choice((1, 2, 3))):
            self._lines = []
            top = self._full_width(_TOP) if number == 0 or self._random.random() < 0.3 else _TOP
            middle = self._random.uniform(380, 460)
            if self._random.random() < 0.35:
                self._columns(columns, top, middle)
                top = self._full_width(middle + 2 * _LEADING)
            ragged = self._random.random() < 0.4
            self._columns(columns, top, _BOTTOM - (self._random.uniform(60, 200) if ragged else 0))
            self._draw(document.new_page(width=_WIDTH, height=_HEIGHT), number)
        document.save(self._made.path)
        return self._made

    def _draw(self, page: pymupdf.Page, number: int) -> None:
        lines = list(self._lines)
        match self._random.choice(("order", "rows", "shuffled")):
            case "rows":
                lines.sort(key=lambda line: (round(line[1]), line[0]))
            case "shuffled":
                self._random.shuffle(lines)
            case _:
                pass
        for x, y, text, size, font in lines:
            page.insert_text((x, y), text, fontsize=size, fontname=font)
        page.insert_text((_LEFT, 40), "Revista de prueba, número siete", fontsize=8, fontname="helv")
        page.insert_text((_WIDTH / 2, 815), str(number + 1), fontsize=8, fontname="helv")

    def _full_width(self, top: float) -> float:
        self._lines.append((_LEFT, top, f"Apartado {self._code()}", 16, "hebo"))
        frame = (_LEFT, top + 2 * _LEADING, top + 9 * _LEADING)
        return self._fill([frame], _WIDTH - 2 * _LEFT, headings=False) + 2 * _LEADING

    def _columns(self, columns: int, top: float, bottom: float) -> None:
        width = (_WIDTH - 2 * _LEFT - (columns - 1) * _GAP) / columns
        frames = [(_LEFT + column * (width + _GAP), top, bottom) for column in range(columns)]
        self._fill(frames, width, headings=True)

    def _fill(self, frames: Sequence[tuple[float, float, float]], width: float, *, headings: bool) -> float:
        """Paragraphs that flow from frame to frame (left, top, bottom); returns where the last one ends."""
        (x, y, bottom), *later = frames
        while later or y < bottom - _ROOM * _LEADING:
            if headings and self._random.random() < 0.15 and y < bottom - 3 * _LEADING:
                y += 0.5 * _LEADING
                self._lines.append((x, y, f"Sección {self._code()}", 11, "hebo"))
                y += 1.5 * _LEADING
            sentences = [self._sentence() for _ in range(self._random.randint(1, 4))]
            lines = list(_break(" ".join(sentences), width))
            if not later and y + len(lines) * _LEADING > bottom:
                break
            self._made.sentences += sentences
            for line in lines:
                if y > bottom and later:
                    (x, y, bottom), *later = later
                self._lines.append((x, y, line, _SIZE, "helv"))
                y += _LEADING
            y += 0.5 * _LEADING
        return y

    def _sentence(self) -> str:
        words = [self._random.choice(_WORDS) for _ in range(self._random.randint(6, 18))]
        return f"Punto {self._code()} {' '.join(words)}."

    def _code(self) -> str:
        self._count += 1
        return f"z{self._count:04d}z"


def _break(text: str, width: float) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and pymupdf.get_text_length(longer, "helv", _SIZE) > width:
            yield line
            line = word
        else:
            line = longer
    yield line


def score_order(text: str, sentences: Sequence[str]) -> OrderScore:
    """Sentences whose words do not stand together count as lost neighbours and are left out of tau."""
    run = fold(text)
    places = [run.find(fold(sentence)) for sentence in sentences]
    found = [place for place in places if place >= 0]
    pairs = len(found) * (len(found) - 1) / 2
    agreeing = sum(found[i] < found[j] for i in range(len(found)) for j in range(i + 1, len(found)))
    order = sorted(range(len(places)), key=lambda index: places[index])
    follows = {before: after for before, after in pairwise(order) if places[before] >= 0}
    kept = sum(follows.get(index) == index + 1 for index in range(len(sentences) - 1))
    return OrderScore(2 * agreeing / pairs - 1 if pairs else 0.0, kept / (len(sentences) - 1))
