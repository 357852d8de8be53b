"""A course's words: the file that the gateway writes, and what the parser makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillnet_common.contracts.courses import CoursePut, LessonPut, ModulePut
from skillnet_common.courses.words import words_of
from skillnet_common.documents import ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import ParseLimits
from skillnet_parser.parse import parse_path


def lesson(lesson_id: str, title: str, content: str = "", summary: str = "") -> LessonPut:
    return LessonPut(lesson_id=lesson_id, title=title, content=content, summary=summary)


def course(*modules: ModulePut) -> CoursePut:
    return CoursePut(title="Acogida", description="Para todo el personal.", modules=list(modules))


def parsed(folder: Path, data: bytes) -> ParsedDocument:
    path = folder / "original"
    path.write_bytes(data)
    return parse_path(path, "course.json", ParseLimits(), lambda *_: None)


def test_modules_and_lessons_are_the_sections(tmp_path: Path) -> None:
    content = "# Fondo\n\nSon 150 €.\n\n- uno\n- dos\n\n## Monedas\n\nDe un euro."
    module = ModulePut(module_id="m", title="Caja", summary="Cobrar.", lessons=[lesson("l", "Abrir", content)])
    document = parsed(tmp_path, words_of(course(module)))
    assert [(section.level, section.path) for section in document.sections] == [
        (0, ()),
        (1, ("Caja",)),
        (2, ("Caja", "Abrir")),
        (3, ("Caja", "Abrir", "Fondo")),
        (4, ("Caja", "Abrir", "Fondo", "Monedas")),
    ]
    assert (document.file_type, document.title) == ("course", "Acogida")
    assert "Para todo el personal." in document.text
    assert "- uno\n- dos" in document.text


def test_what_has_no_words_is_found_by_its_title(tmp_path: Path) -> None:
    document = parsed(tmp_path, words_of(course(ModulePut(module_id="m", title="Caja"))))
    assert document.text == "Para todo el personal.\n\nCaja\n\nCaja"


def test_equal_titles_beside_each_other_are_told_apart(tmp_path: Path) -> None:
    lessons = [lesson(str(n), title, "Texto.") for n, title in enumerate(["Test", "Test (2)", "Test", "Test"])]
    modules = [ModulePut(module_id=name, title="Caja", lessons=lessons if name == "a" else []) for name in "ab"]
    document = parsed(tmp_path, words_of(course(*modules)))
    assert [section.path[-1] for section in document.sections[1:]] == [
        "Caja",
        "Test",
        "Test (2)",
        "Test (3)",
        "Test (4)",
        "Caja (2)",
    ]


def test_content_cannot_pose_as_another_lesson(tmp_path: Path) -> None:
    lessons = [lesson("1", "Abrir", "# Cerrar\n\nFalso.\n\nOtro\n===="), lesson("2", "Cerrar", "Verdad.")]
    document = parsed(tmp_path, words_of(course(ModulePut(module_id="m", title="Caja", lessons=lessons))))
    assert [s.path for s in document.sections if s.level == 2] == [("Caja", "Abrir"), ("Caja", "Cerrar")]


def test_the_same_words_are_the_same_bytes_whatever_their_ids() -> None:
    one, other = (course(ModulePut(module_id=name, title="Caja", lessons=[lesson(name, "Abrir")])) for name in "ab")
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize("rest", [b"}", b'"title":"x"}', b'"title":"x","description":"","modules":[{}]}', b"\xff}"])
def test_what_only_begins_as_a_course_is_a_corrupt_file(tmp_path: Path, rest: bytes) -> None:
    with pytest.raises(PermanentFault) as caught:
        parsed(tmp_path, b'{"skillnet-course":1,' + rest)
    assert caught.value.code is ErrorCode.CORRUPT_FILE
