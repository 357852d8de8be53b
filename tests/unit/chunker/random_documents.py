"""Random documents, titles and sizes: deep trees, empty headings, giant words, wide tables, nested lists, scripts of
every direction, lines of one character."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from skillnet_common.documents import BlockKind

Part = tuple[int, str, Sequence[tuple[BlockKind, str]]]

_SAMPLE = (
    "el plazo de devolución es treinta días D. Sr. art. 5. n.º 12 1. a) etc. EE. UU. Véase: pero; ¿cómo? sí, "
    "Artículo ISO-9001 «cita». extraordinariamente\n- • días. Plazo de hoy. El"
)
prose = st.lists(st.sampled_from(_SAMPLE.split(" ")), min_size=1, max_size=160).map(" ".join)
_wild = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), max_size=300)
_unbroken = st.integers(1, 3000).map(lambda length: "x" * length)
_sentences = st.lists(
    st.sampled_from(
        [
            "El plazo es de treinta días.",
            "Véase el art. 5.",
            "¿Cómo se pide?",
            "El Sr. Pérez firma el n.º 12, y la Dra. Gil lo aprueba; después se archiva.",
            "Se necesita:",
        ]
    ),
    min_size=1,
    max_size=40,
)
_long_sentences = st.builds(lambda sentences, times: " ".join(sentences * times), _sentences, st.integers(1, 12))
_rows = st.lists(st.sampled_from(["| Pan | 12,50 |", "| una celda larga de texto | 3 |", "| | |"]), max_size=40)
_tables = st.builds(
    lambda rows, times: "\n".join(["| Producto | Precio |", "| --- | --- |", *rows * times]),
    _rows,
    st.integers(1, 12),
)
_cells = st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters="\n"), max_size=30).map(
    lambda cell: " ".join(cell.split()).replace("|", "\\|")
)
_grids = st.integers(1, 12).flatmap(
    lambda width: st.lists(st.lists(_cells, min_size=width, max_size=width), min_size=2, max_size=12)
)
wide_tables = st.builds(
    lambda rows, times: "\n".join(
        [
            f"| {' | '.join(rows[0])} |",
            "|" + " --- |" * len(rows[0]),
            *(f"| {' | '.join(row)} |" for row in rows[1:] * times),
        ]
    ),
    _grids,
    st.integers(1, 8),
)
_lists = st.lists(
    st.builds(
        lambda depth, mark, text: "  " * depth + f"{mark} {text}",
        st.integers(0, 4),
        st.sampled_from(["-", "•", "1.", "a)", "iv)", "☐"]),
        st.sampled_from(["Pan", "El plazo es de treinta días.", "Se necesita:", "x" * 400]),
    ),
    min_size=1,
    max_size=60,
).map(lambda items: "\n".join(["Se pide:", *items]))
_code = st.lists(st.sampled_from(["def f():", "    return 1", "", "\t# ¿qué?", "x = '|'"]), max_size=80).map(
    "\n".join
)
_scripts = st.lists(
    st.sampled_from(["שלום עולם", "مرحبا بالعالم", "👩‍👩‍👧‍👦", "e\u0301\u0323", "กำลัง", "漢字", "ﷺ", "🏴‍☠️", "ñ"]),
    min_size=1,
    max_size=200,
).map(" ".join)
_single_characters = st.lists(st.sampled_from("aéß.1-"), max_size=400).map("\n".join)
_content = st.one_of(
    prose,
    _long_sentences,
    _long_sentences,
    _tables,
    wide_tables,
    _lists,
    _code,
    _scripts,
    _single_characters,
    _wild,
    _unbroken,
)


def clean(text: str) -> str:
    """As a parser gives it."""
    return unicodedata.normalize("NFC", text).strip()


_texts = _content.map(clean).filter(bool)
_headings = st.one_of(
    st.just(""),
    st.sampled_from(["1 Alcance", "Objeto [Fuente 3]", "Anexo", "CAPÍTULO I"]),
    prose.map(lambda text: clean(text.replace("\n", " "))[:300].strip()),
)
_kinds = st.sampled_from([kind for kind in BlockKind if kind is not BlockKind.HEADING])
parts = st.lists(
    st.tuples(st.integers(1, 5), _headings, st.lists(st.tuples(_kinds, _texts), max_size=5)), max_size=12
)
titles = st.one_of(st.just(""), st.just("1 Alcance"), prose)
sizes: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    window=st.integers(0, 300),
    target=st.integers(0, 300),
    minimum=st.integers(-1, 100),
    header_limit=st.integers(0, 100),
    overlap_sentences=st.integers(0, 4),
    overlap_limit=st.integers(0, 100),
    overlap_share=st.floats(0, 0.6),
    prefix=st.sampled_from(["", "passage: "]),
)
