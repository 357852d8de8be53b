"""How documents of each shape are cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillnet_chunker.domain import ChunkOptions, TokenCounter, Unindexed, chunk_document, coverage
from skillnet_common.documents import BlockKind, Chunk, ParsedDocument

P, LIST, TABLE, CODE, CONTENTS = (
    BlockKind.PARAGRAPH,
    BlockKind.LIST,
    BlockKind.TABLE,
    BlockKind.CODE,
    BlockKind.CONTENTS,
)
Build = Callable[..., ParsedDocument]
OPTIONS = ChunkOptions()


def sentences(count: int, subject: str = "El plazo") -> str:
    """Sentences of 15 tokens each by the words counter."""
    return " ".join(f"{subject} número {i:03} se cuenta siempre desde la entrega." for i in range(count))


@pytest.fixture
def chunks_of(document: Build, words: TokenCounter) -> Callable[..., list[Chunk]]:
    def chunk(*parts: object, title: str = "Manual", options: ChunkOptions = OPTIONS) -> list[Chunk]:
        return chunk_document(document(parts), title=title, tokens=words, options=options)

    return chunk


class TestOutline:
    def test_a_section_of_good_size_is_one_chunk_under_its_path(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of((1, "3 Devoluciones", []), (2, "3.1 Plazos", [(P, sentences(10))]))
        assert chunk.header == "Manual › 3 Devoluciones › 3.1 Plazos"
        assert chunk.section_path == ("3 Devoluciones", "3.1 Plazos")
        assert chunk.heading == "3.1 Plazos"
        assert chunk.body == sentences(10)

    def test_small_siblings_merge_under_their_parent_with_both_headings(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        (chunk,) = chunks_of(
            (1, "Horario", []),
            (2, "Verano", [(P, "De ocho a tres.")]),
            (2, "Invierno", [(P, "De nueve a seis.")]),
        )
        assert chunk.section_path == ("Horario",)
        assert chunk.header == "Manual › Horario"
        assert chunk.body == "Verano\n\nDe ocho a tres.\n\nInvierno\n\nDe nueve a seis."

    def test_a_small_section_joins_the_smaller_of_its_neighbours(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        chunks = chunks_of(
            (1, "Uno", [(P, sentences(20))]),
            (1, "Dos", [(P, "Queda sin efecto lo anterior desde el primero de enero de este año.")]),
            (1, "Tres", [(P, sentences(5))]),
        )
        assert [chunk.heading for chunk in chunks] == ["Uno", ""]
        assert chunks[1].body.startswith("Dos\n\nQueda sin efecto")
        assert "Tres\n\nEl plazo" in chunks[1].body

    def test_sections_of_different_parents_do_not_merge(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        chunks = chunks_of(
            (1, "Norte", []),
            (2, "Ventas", [(P, sentences(60))]),
            (2, "Compras", [(P, "Las decide siempre la persona que dirige la tienda.")]),
            (1, "Sur", []),
            (2, "Ventas", [(P, "Las decide siempre la persona que dirige el almacén.")]),
            (2, "Compras", [(P, sentences(60))]),
        )
        alone = [chunk.section_path for chunk in chunks if "siempre la persona" in chunk.body]
        assert alone == [("Norte", "Compras"), ("Sur", "Ventas")]

    def test_a_heading_without_text_is_carried_by_the_header_of_its_first_child(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        (chunk,) = chunks_of((1, "Título I", []), (2, "Capítulo I", []), (3, "Artículo 1", [(P, sentences(9))]))
        assert chunk.header == "Manual › Título I › Capítulo I › Artículo 1"
        assert "Título I" not in chunk.body

    def test_a_heading_without_text_between_siblings_travels_with_the_next(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        first, second = chunks_of(
            (1, "Objeto", [(P, sentences(20))]),
            (1, "CAPÍTULO II", []),
            (1, "DEL PERSONAL", [(P, sentences(60))]),
        )[:2]
        assert first.body == sentences(20)
        assert second.heading == "DEL PERSONAL"
        assert second.body.startswith("CAPÍTULO II\n\nDEL PERSONAL\n\nEl plazo")

    def test_a_last_heading_without_text_is_a_chunk_if_it_fits_nowhere(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        chunks = chunks_of((1, "Reglas", [(P, sentences(60))]), (1, "Anexo sin texto", []))
        assert chunks[-1].body == "Anexo sin texto"
        assert chunks[-1].header == "Manual"

    def test_the_parents_own_words_lead_to_the_first_child(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        chunks = chunks_of(
            (1, "Devoluciones", [(P, "Este capítulo explica cómo se devuelve.")]),
            (2, "Plazos", [(P, sentences(40))]),
        )
        assert chunks[0].heading == "Plazos"
        assert chunks[0].header == "Manual › Devoluciones › Plazos"
        assert chunks[0].body.startswith("Este capítulo explica cómo se devuelve.\n\nPlazos\n\nEl plazo")

    def test_a_table_of_contents_and_its_heading_are_left_out(self, document: Build, words: TokenCounter) -> None:
        parsed = document(
            [(1, "Índice", [(CONTENTS, "1 Objeto .... 3\n2 Alcance .... 4")]), (1, "1 Objeto", [(P, sentences(8))])]
        )
        chunks = chunk_document(parsed, title="Manual", tokens=words, options=OPTIONS)
        assert [chunk.body for chunk in chunks] == [sentences(8)]
        reasons = {parsed.text[span.start : span.end]: span.reason for span in coverage(parsed, chunks)}
        assert reasons["Índice"] is Unindexed.CONTENTS
        assert reasons["1 Objeto"] is Unindexed.HEADING

    def test_a_heading_shown_across_a_table_of_contents_is_not_lost_by_a_later_merge(
        self, document: Build, words: TokenCounter
    ) -> None:
        parsed = document([(1, "Parte", []), (2, "Índice", [(CONTENTS, "1 ... 3")]), (2, "Nota", []), (1, "Fin", [])])
        chunks = chunk_document(parsed, title="", tokens=words, options=OPTIONS)
        assert not [span for span in coverage(parsed, chunks) if span.reason is Unindexed.LOST]

    def test_text_after_a_table_of_contents_keeps_the_header_that_names_it(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        above, below = (f"{name} " + "palabra " * 13 + "terminado" for name in ("Arriba", "Abajo"))
        chunks = chunks_of(
            (1, above, [(CONTENTS, "1 ... 3"), (P, "Unas palabras sueltas.")]), (2, below, [(P, sentences(8))])
        )
        assert [(chunk.header, chunk.body) for chunk in chunks] == [
            (f"Manual › {above}", "Unas palabras sueltas."),
            (f"{above} › {below}", sentences(8)),
        ]

    def test_a_document_of_nothing_but_contents_has_no_chunks(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        assert chunks_of((1, "Índice", [(CONTENTS, "1 Objeto .... 3")])) == []


class TestSplitting:
    def test_cuts_fall_between_paragraphs(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        paragraphs = [sentences(10, f"Apartado {letter}") for letter in "ABCDEF"]
        chunks = chunks_of((1, "Reglas", [(P, paragraph) for paragraph in paragraphs]))
        assert [chunk.body[chunk.overlap_chars :] for chunk in chunks] == [
            "\n\n".join(paragraphs[i : i + 2]) for i in (0, 2, 4)
        ]

    def test_two_sentences_overlap_and_are_recorded(self, document: Build, words: TokenCounter) -> None:
        parsed = document([(1, "Reglas", [(P, sentences(60))])])
        first, second, *_ = chunk_document(parsed, title="Manual", tokens=words, options=OPTIONS)
        overlap = second.body[: second.overlap_chars]
        assert overlap.count("El plazo") == 2
        assert first.body.endswith(overlap.strip())
        assert second.body[second.overlap_chars :] == parsed.text[second.start : second.end]

    def test_there_is_no_overlap_between_sections(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        chunks = chunks_of((1, "Uno", [(P, sentences(15))]), (1, "Dos", [(P, sentences(15))]))
        assert [chunk.overlap_chars for chunk in chunks] == [0, 0]

    def test_no_last_chunk_is_a_remnant(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        for count in range(20, 50):
            chunks = chunks_of((1, "Reglas", [(P, sentences(count))]))
            assert min(chunk.token_count for chunk in chunks) > 150

    def test_a_sentence_longer_than_the_window_is_cut_at_clauses(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        clause = "la persona encargada comprueba el género recibido"
        chunks = chunks_of((1, "Reglas", [(P, "; ".join([clause] * 90) + ".")]))
        assert len(chunks) > 1
        assert all(chunk.body.endswith((";", ".")) for chunk in chunks)

    def test_without_clauses_it_is_cut_between_words(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        chunks = chunks_of((1, "Reglas", [(P, "palabra " * 900)]))
        assert {word for chunk in chunks for word in chunk.body.split()} == {"palabra"}

    def test_a_short_label_stays_with_the_paragraph_it_announces(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        for count in range(4, 12):
            blocks = [block for i in range(12) for block in ((P, f"Regla {i} de la casa"), (P, sentences(count)))]
            for chunk in chunks_of((1, "Reglas", blocks)):
                assert not chunk.body.rsplit("\n\n", 1)[-1].startswith("Regla")

    def test_a_chunk_never_repeats_the_whole_of_the_one_before(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        lengths = [135, 50, 28, 28, 136]
        text = " ".join("Ab" + " ab" * (length - 2) + " fin." for length in lengths)
        options = ChunkOptions(
            window=200, target=200, minimum=0, header_limit=0, overlap_limit=60, overlap_share=0.3, prefix=""
        )
        chunks = chunks_of((0, "", [(P, text)]), title="", options=options)
        assert [chunk.body.count("fin.") for chunk in chunks] == [2, 3, 1]
        assert chunks[2].overlap_chars == 0


class TestKinds:
    HEAD = "| Producto | Precio |\n| --- | --- |"

    def test_a_table_is_cut_between_rows_under_its_header(self, document: Build, words: TokenCounter) -> None:
        rows = [f"| Pan de molde número {i} | {i},50 euros |" for i in range(120)]
        parsed = document([(1, "Tarifa", [(TABLE, "\n".join([self.HEAD, *rows]))])])
        chunks = chunk_document(parsed, title="Manual", tokens=words, options=OPTIONS)
        assert len(chunks) > 2
        assert {chunk.kind for chunk in chunks} == {"table"}
        assert all(chunk.body.startswith(self.HEAD + "\n| Pan") for chunk in chunks)
        assert [chunk.overlap_chars for chunk in chunks[1:]] == [len(self.HEAD) + 1] * (len(chunks) - 1)
        cut = [row for chunk in chunks for row in chunk.body[chunk.overlap_chars :].splitlines() if "Pan" in row]
        assert cut == rows

    def test_a_table_header_over_half_the_window_is_not_repeated(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        head = "| " + "columna " * 160 + "|\n| --- |"
        chunks = chunks_of((1, "Tarifa", [(TABLE, "\n".join([head, *["| una fila cualquiera |"] * 200]))]))
        assert len(chunks) > 1
        assert all(chunk.overlap_chars == 0 for chunk in chunks)

    def test_a_row_longer_than_the_window_is_cut_between_cells(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        row = "| " + " | ".join(f"celda número {i}" for i in range(400)) + " |"
        chunks = chunks_of((1, "Tarifa", [(TABLE, f"{self.HEAD}\n{row}")]))
        assert len(chunks) > 1
        assert all(chunk.body.endswith("|") for chunk in chunks)

    def test_a_plain_grid_has_its_first_row_as_header_unless_it_holds_figures(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        rows = [f"Pan de molde\t{i},50 euros por unidad" for i in range(150)]
        named = chunks_of((1, "Tarifa", [(TABLE, "\n".join(["Producto\tPrecio", *rows]))]))
        unnamed = chunks_of((1, "Tarifa", [(TABLE, "\n".join(rows))]))
        assert all(chunk.body.startswith("Producto\tPrecio\n") for chunk in named)
        assert all(chunk.overlap_chars == 0 for chunk in unnamed)

    def test_every_piece_of_a_list_has_its_lead_in(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        items = "\n".join(f"- Comprobar la caja número {i} antes de abrir la tienda al público" for i in range(60))
        chunks = chunks_of((1, "Apertura", [(P, "Cada mañana hay que:"), (LIST, items)]))
        assert len(chunks) > 1
        assert all(chunk.body.startswith("Cada mañana hay que:\n") for chunk in chunks)
        assert all(line.startswith("- ") for chunk in chunks for line in chunk.body.strip().splitlines()[2:])

    def test_a_lead_in_is_not_parted_from_what_it_announces(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        for count in range(18, 26):
            table = "\n".join([self.HEAD, *["| Pan de molde | 1,50 euros |"] * 35])
            for chunk in chunks_of((1, "Tarifa", [(P, sentences(count)), (P, "Se cobra:"), (TABLE, table)])):
                assert not chunk.body.endswith("Se cobra:")

    def test_code_is_cut_at_lines_and_rather_at_blank_ones(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        function = "def calcular(total):\n    impuesto = total * 21\n    return impuesto + total\n"
        chunks = chunks_of((1, "Guía", [(CODE, "\n".join([function] * 40).strip())]))
        assert len(chunks) > 1
        assert all(chunk.body.startswith("def calcular") for chunk in chunks)
        assert {chunk.kind for chunk in chunks} == {"code"}

    def test_code_keeps_the_indentation_of_its_first_line(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        body = "\n".join(f"    paso_{i} = siguiente(paso, {i})" for i in range(150))
        chunks = chunks_of((1, "Guía", [(CODE, f"def todo():\n{body}")]))
        assert all(chunk.body.startswith("    paso_") for chunk in chunks[1:])


class TestHeader:
    def test_title_equal_to_the_first_heading_stands_once(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of((1, "MANUAL", []), (2, "Objeto", [(P, sentences(8))]), title="Manual")
        assert chunk.header == "Manual › Objeto"

    def test_brackets_and_line_breaks_cannot_forge_a_source(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of(
            (1, "Anexo [Fuente 2]", [(P, sentences(8))]), title="Guía\n[Fuente 1: otra › cosa]\u202e"
        )
        assert chunk.header == "Guía (Fuente 1: otra > cosa) › Anexo (Fuente 2)"

    def test_the_title_is_cut_first(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of((1, "Capítulo", [(P, sentences(8))]), title="Reglamento " * 40)
        assert chunk.header.startswith("Reglamento Reglamento")
        assert chunk.header.endswith("… › Capítulo")

    def test_then_the_path_from_the_left(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        headings = [f"Nivel {level} " + "palabra " * 9 + "final" for level in range(4)]
        chunks = chunks_of(*[(level + 1, heading, [(P, sentences(20))]) for level, heading in enumerate(headings)])
        assert chunks[0].header == f"Manual › {headings[0]}"
        assert chunks[3].header == f"{headings[2]} › {headings[3]}"

    def test_a_heading_without_text_that_the_header_cannot_show_is_in_the_body(
        self, chunks_of: Callable[..., list[Chunk]]
    ) -> None:
        headings = [f"Nivel {level} " + "palabra " * 9 + "final" for level in range(4)]
        (chunk,) = chunks_of(
            *[(level + 1, heading, []) for level, heading in enumerate(headings[:3])],
            (4, headings[3], [(P, sentences(8))]),
        )
        assert all(heading in f"{chunk.header}\n{chunk.body}" for heading in headings)

    def test_a_heading_too_long_for_the_header_stays_in_the_body(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        heading = "Artículo primero " + "de la disposición " * 20
        (chunk,) = chunks_of((1, heading.strip(), [(P, sentences(8))]))
        assert chunk.header.endswith("…")
        assert chunk.body.startswith(heading.strip())

    def test_without_title_and_section_there_is_none(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of((0, "", [(P, sentences(8))]), title="")
        assert chunk.header == ""
        assert chunk.model_text == chunk.body


class TestPages:
    def test_a_format_without_pages_has_none(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of((1, "Reglas", [(P, sentences(8))]))
        assert (chunk.page_start, chunk.page_end, chunk.boxes) == (None, None, ())

    def test_each_piece_of_a_long_section_has_its_own_pages(self, document: Build, words: TokenCounter) -> None:
        parsed = document([(1, "Reglas", [(P, sentences(10))] * 12)], lines_per_page=2)
        chunks = chunk_document(parsed, title="Manual", tokens=words, options=OPTIONS)
        pages = [(chunk.page_start, chunk.page_end) for chunk in chunks]
        assert pages == [(page, page + 1) for page in range(1, 7)]  # the heading is the first printed line
        assert [len(chunk.boxes) for chunk in chunks] == [2] * 6

    def test_text_without_a_printed_line_falls_back_on_its_section(
        self, document: Build, words: TokenCounter
    ) -> None:
        parsed = document([(1, "Reglas", [(P, sentences(8))])])
        sections = [replace(section, page_start=4, page_end=5) for section in parsed.sections]
        (chunk,) = chunk_document(
            replace(parsed, sections=tuple(sections)), title="Manual", tokens=words, options=OPTIONS
        )
        assert (chunk.page_start, chunk.page_end) == (4, 5)


class TestOptions:
    @pytest.mark.parametrize(
        ("sizes", "sentence"),
        [
            ({"target": 600}, "exceeds the window"),
            ({"overlap_limit": 400}, "must be below the target"),
            ({"minimum": 350}, "must be below the target"),
            ({"overlap_share": 0.9}, "between 0 and 0.5"),
            ({"header_limit": -1}, "must not be negative"),
            ({"target": 80, "minimum": 10}, "at least 16 are needed"),
        ],
    )
    def test_sizes_that_cannot_work_are_refused(self, sizes: dict[str, int], sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            ChunkOptions(**sizes)  # type: ignore[arg-type]

    def test_a_prefix_that_takes_the_room_is_refused(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        with pytest.raises(ValueError, match="beside prefix"):
            chunks_of((1, "Reglas", [(P, "Texto.")]), options=ChunkOptions(prefix="instrucción " * 200))

    def test_the_model_input_is_prefix_header_and_body(self, chunks_of: Callable[..., list[Chunk]]) -> None:
        (chunk,) = chunks_of((1, "Reglas", [(P, sentences(8))]))
        assert OPTIONS.model_input(chunk) == f"passage: Manual › Reglas\n\n{sentences(8)}"


class TestCoverage:
    def test_text_that_no_chunk_holds_is_lost(self, document: Build, words: TokenCounter) -> None:
        parsed = document([(1, "Uno", [(P, sentences(15))]), (1, "Dos", [(P, sentences(15))])])
        first, second = chunk_document(parsed, title="Manual", tokens=words, options=OPTIONS)
        lost = [span for span in coverage(parsed, [first]) if span.reason is Unindexed.LOST]
        assert (lost[-1].start, lost[-1].end) == (second.start, second.end)
        assert parsed.text[lost[0].start : lost[0].end] == "Dos"

    def test_spans_that_share_a_character_are_refused(self, document: Build, words: TokenCounter) -> None:
        parsed = document([(1, "Uno", [(P, sentences(60))])])
        first, second, *_ = chunk_document(parsed, title="Manual", tokens=words, options=OPTIONS)
        with pytest.raises(ValueError, match="begins inside"):
            coverage(parsed, [first, replace(second, start=first.end - 1)])


class _Recorder:
    """Counts what it is given to count."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self.characters = 0

    def count(self, final_text: str) -> int:
        self.characters += len(final_text)
        return self._counter.count(final_text)


@settings(deadline=None, max_examples=30)
@given(sections=st.integers(1, 30), length=st.integers(1, 80))
def test_text_is_counted_about_twice(sections: int, length: int, document: Build, words: TokenCounter) -> None:
    parsed = document([(1, f"Sección {i}", [(P, sentences(length))]) for i in range(sections)])
    recorder = _Recorder(words)
    chunks = chunk_document(parsed, title="Manual", tokens=recorder, options=OPTIONS)
    model_inputs = sum(len(OPTIONS.model_input(chunk)) for chunk in chunks)
    assert recorder.characters < 2.5 * model_inputs + 3000
