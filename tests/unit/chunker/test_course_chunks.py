"""Lessons are records: each is a chunk of its own, however short."""

from __future__ import annotations

from pathlib import Path

from skillnet_chunker.domain.chunking import chunk_document
from skillnet_chunker.sizes import ChunkRules
from skillnet_common.chunk_sizes import OwnSizes
from skillnet_common.contracts.courses import CoursePut, LessonPut, ModulePut
from skillnet_common.courses.words import words_of
from skillnet_common.settings import ChunkSettings
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path


class WordCounter:
    """A token a word."""

    def count(self, final_text: str, /) -> int:
        return len(final_text.split())


def test_short_lessons_are_not_merged_but_their_sections_are(tmp_path: Path) -> None:
    content = "El fondo es de 150 €.\n\n## Monedas\n\nDe un euro.\n\n## Billetes\n\nDe cinco."
    lessons = [
        LessonPut(lesson_id="1", title="Abrir", content=content),
        LessonPut(lesson_id="2", title="Cerrar", content="Se imprime el informe Z."),
    ]
    modules = [
        ModulePut(module_id="a", title="Caja", summary="Cobrar.", lessons=lessons),
        ModulePut(module_id="b", title="Almacén", summary="Recibir."),
    ]
    path = tmp_path / "original"
    path.write_bytes(words_of(CoursePut(title="Acogida", modules=modules)))
    parsed = parse_path(path, "course.json", ParseLimits(), lambda *_: None)
    rules = ChunkRules(ChunkSettings(), window=512, passage_prefix="passage: ")
    options = rules.options(rules.sizes(OwnSizes()))
    chunks = chunk_document(parsed, title="Acogida", tokens=WordCounter(), options=options)
    assert [chunk.section_path[:2] for chunk in chunks] == [
        ("Caja",),
        ("Caja", "Abrir"),
        ("Caja", "Cerrar"),
        ("Almacén",),
    ]
    assert chunks[1].body.startswith("El fondo")
    assert chunks[1].body.endswith("De cinco.")
