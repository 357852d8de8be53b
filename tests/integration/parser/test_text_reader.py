"""Plain text: encodings, paragraphs and headings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

SENTENCE = "El ñandú come índices y canción tras canción llega el señor Ibáñez con su pingüino."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_without_a_warning(parse: Parse, encoding: str) -> None:
    document = parse(SENTENCE.encode(encoding), "a.txt")
    assert (document.text, document.warnings) == (SENTENCE, ())


def test_windows_1252_is_read_with_a_warning(parse: Parse) -> None:
    document = parse(f"{SENTENCE} – 5 €".encode("cp1252"), "a.txt")
    assert document.text == f"{SENTENCE} – 5 €"
    assert "Windows-1252" in document.warnings[0]


def test_utf8_with_one_broken_character_stays_utf8(parse: Parse) -> None:
    document = parse(SENTENCE.encode() * 3 + b" \xff fin", "a.txt")
    assert "pingüino" in document.text
    assert document.warnings == ("The file is UTF-8 with 1 damaged characters.",)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_accents_encoded_twice_are_mended_and_told(parse: Parse, name: str, encoding: str) -> None:
    text = "CAPÍTULO II. ¿Qué señales da el horno? Según el año, “dos” o más…"
    as_read = (bytes([byte]).decode(encoding, errors="ignore") or chr(byte) for byte in text.encode())
    twice = "".join(as_read)
    document = parse(twice.encode(), name)
    assert document.text == text
    assert ["twice" in warning for warning in document.warnings] == [True]


@pytest.mark.parametrize("text", ["São João: não há. Ã e Â são letras.", "â‚¬ es lo que sale de leer mal el euro."])
def test_words_about_accents_stay(parse: Parse, text: str) -> None:
    assert parse(text.encode(), "a.txt").text == text


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("Привет, как дела? Это текст.".encode("cp866"), ErrorCode.UNSUPPORTED_TYPE),
        (bytes(range(256)) * 8, ErrorCode.UNSUPPORTED_TYPE),
        (b"\xff\xfea", ErrorCode.CORRUPT_FILE),
        (b"", ErrorCode.EMPTY_FILE),
        (b" \n\t\n", ErrorCode.NOTHING_READABLE),
    ],
)
def test_what_is_no_text_says_so(parse: Parse, data: bytes, code: ErrorCode) -> None:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.txt")
    assert caught.value.code is code


def test_headings_by_label_capitals_and_underline(parse: Parse, headings: Outline) -> None:
    source = (
        "AVISO A TODO EL PERSONAL\n\nTexto corriente.\n\n1. Antes del corte\n\nMás texto.\n\n"
        "Contactos\n=========\n\nTeléfonos.\n\nES UNA FRASE ENTERA EN MAYÚSCULAS.\n"
    )
    document = parse(source.encode(), "aviso.txt")
    assert headings(document) == [
        (1, "AVISO A TODO EL PERSONAL"),
        (2, "1. Antes del corte"),
        (1, "Contactos"),
    ]
    assert document.title == "AVISO A TODO EL PERSONAL"


def test_wrapped_lines_are_joined_and_verse_is_not(parse: Parse) -> None:
    wrapped = (
        "La persona encargada revisa cada mañana la lista de pedidos y comprueba\n"
        "que las cantidades coinciden con el albarán del obrador antes de abrir\n"
        "la tienda.\n\nAna\nBerta\nCarla\n"
    )
    document = parse(wrapped.encode(), "a.txt")
    assert document.text == (
        "La persona encargada revisa cada mañana la lista de pedidos y comprueba "
        "que las cantidades coinciden con el albarán del obrador antes de abrir "
        "la tienda.\n\nAna\nBerta\nCarla"
    )


def test_words_broken_at_the_end_of_a_line_are_joined(parse: Parse) -> None:
    wrapped = (
        "La persona encargada revisa cada mañana la lista de pedidos y el perso-\n"
        "nal de la tienda comprueba que las cantidades y el carácter físico-\n"
        "químico coinciden con el albarán del obrador antes de abrir la puerta.\n"
    )
    text = parse(wrapped.encode(), "a.txt").text
    assert "el personal de la tienda" in text
    assert "físico-químico coinciden" in text


def test_rows_of_columns_stay_on_their_lines(parse: Parse) -> None:
    source = "Código de error    Significado\nE-01               Falta agua\nE-02               Puerta"
    document = parse(source.encode(), "a.txt")
    assert [line.split()[0] for line in document.text.split("\n")] == ["Código", "E-01", "E-02"]


def test_rows_between_bars_stay_on_their_lines(parse: Parse) -> None:
    table = (
        "| Zona de reparto | Plazo de entrega | Precio |\n"
        "|-----------------|------------------|--------|\n"
        "| Norte y Levante | dos días | 12,50 € |"
    )
    assert parse(table.encode(), "tarifas.txt").text == table


def test_short_lines_stay_as_they_were_broken(parse: Parse) -> None:
    address = "Academia Nuevo Rumbo\nCalle del Olmo, 14\n37001 Salamanca"
    assert parse(address.encode(), "direccion.txt").text == address


def test_items_of_a_list_stay_on_their_lines(parse: Parse, blocks_of: BlocksOf) -> None:
    document = parse(b"Hay que traer:\n\n- el tique\n- el producto\n  sin abrir\n", "a.txt")
    assert blocks_of(document, BlockKind.LIST) == ["- el tique\n- el producto sin abrir"]


def test_what_leads_in_to_a_list_is_a_paragraph(parse: Parse, blocks_of: BlocksOf) -> None:
    document = parse(b"La empresa propone\nestos cierres:\n- del 24 al 31\n- el 2 de mayo\n", "a.txt")
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["La empresa propone\nestos cierres:"]
    assert blocks_of(document, BlockKind.LIST) == ["- del 24 al 31\n- el 2 de mayo"]


def test_pages_are_estimated_by_words(parse: Parse) -> None:
    document = parse(b"palabra " * 701, "a.txt")
    assert (document.page_count, document.page_count_estimated) == (3, True)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "Os pães devem chegar à loja antes das sete horas e não podem ficar na rua sem vigilância. "),
        ("en", "The bread has to arrive at the shop before seven and must not be left on the street alone. "),
        ("es", "El pan tiene que llegar a la tienda antes de las siete y no puede quedarse en la calle. "),
        ("ca", "El pa ha d'arribar a la botiga abans de les set i no es pot quedar al carrer sense vigilància. "),
    ],
)
def test_the_language_of_longer_texts_is_told(parse: Parse, language: str, text: str) -> None:
    assert parse((text * 4).encode(), "a.txt").language == language


def test_short_texts_are_taken_for_spanish(parse: Parse) -> None:
    assert parse(b"ISO 9001", "a.txt").language == "es"


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("Manual de caja.\n" * 200 + "f\0in\n", "Manual de caja.\n" * 200 + "fin"),
        ("Avise a la persona encargada del turno.\0", "Avise a la persona encargada del turno."),
        ("Manual\vde caja.\n" * 3, "\n".join(["Manual de caja."] * 3)),
        (
            "Manual de caja, cierre y \x08arqueo diario del turno.\n",
            "Manual de caja, cierre y arqueo diario del turno.",
        ),
    ],
)
def test_stray_controls_leave_a_text_what_it_is(parse: Parse, source: str, read: str) -> None:
    document = parse(source.encode(), "notas.txt")
    assert " ".join(document.text.split()) == " ".join(read.split())
    assert document.file_type == "text"


OUTLINES = {
    "articles over their text": (
        "Artículo 1. Objeto\nEste reglamento regula el uso de las salas.\n\nArtículo 2. Ámbito\nSe aplica a todo el "
        "personal que trabaje en la fábrica, cualquiera que sea su contrato y su antigüedad, y a las visitas.\n",
        [(1, "Artículo 1. Objeto"), (1, "Artículo 2. Ámbito")],
    ),
    "numbers over their text": (
        "1 Alcance\nEste manual describe el horno.\n\n2 Seguridad\nNo abra la puerta.\n\n2.1 Guantes\nSon rojos.\n",
        [(1, "1 Alcance"), (1, "2 Seguridad"), (2, "2.1 Guantes")],
    ),
    "no blank lines": (
        "CAPÍTULO II. Del personal\nArtículo 5. Contratación\nSe hará por escrito.\nArtículo 6. Prueba\nDos meses.\n",
        [(1, "CAPÍTULO II. Del personal"), (2, "Artículo 5. Contratación"), (2, "Artículo 6. Prueba")],
    ),
    "text behind the label": (
        "Artículo 4. Los turnos se publican cada lunes en el tablón de la tienda.\n\n"
        "Artículo 5. Descansos. Cada turno tiene un descanso de veinte minutos.\n\n"
        "Artículo 6.- 1. Las horas de más se pagan. 2. Se anotan.\n",
        [(1, "Artículo 4."), (1, "Artículo 5. Descansos."), (1, "Artículo 6.-")],
    ),
    "titles below labels": (
        "CAPÍTULO II\nDEL PERSONAL\n\nArtículo 1\nObjeto y ámbito\nEste reglamento regula el uso.\n",
        [(1, "CAPÍTULO II DEL PERSONAL"), (2, "Artículo 1 Objeto y ámbito")],
    ),
    "a title of two lines": (
        "Artículo 3. Del uso de las salas comunes por parte de\nlas personas ajenas a la empresa\n\nSe prohíbe.\n",
        [(1, "Artículo 3. Del uso de las salas comunes por parte de las personas ajenas a la empresa")],
    ),
    "capitals over text": ("HORARIO DE VERANO\nDe lunes a viernes de 8 a 15 horas.\n", [(1, "HORARIO DE VERANO")]),
    "a contract without blank lines": (
        "CONTRATO DE ALQUILER\nEn Sevilla, a 4 de abril de 2025.\nREUNIDOS\nDe una parte, D. José Peña, en adelante "
        "EL ARRENDADOR.\nEXPONEN\nI.- Que es dueño del local de la calle Feria.\nII.- Que quiere alquilarlo.\n"
        "CLÁUSULAS\n"
        "PRIMERA.- OBJETO\nEl arrendador cede el uso del local.\nSEGUNDA.- Duración. Será de cinco años.\n"
        "EL ARRENDADOR LA ARRENDATARIA\n",
        [
            *((1, heading) for heading in ("CONTRATO DE ALQUILER", "REUNIDOS", "EXPONEN", "CLÁUSULAS")),
            *((2, heading) for heading in ("PRIMERA.- OBJETO", "SEGUNDA.- Duración.")),
        ],
    ),
    "numbers without blank lines": (
        "REGLAMENTO INTERNO\n1. Objeto\nSe regula el uso del local y de sus enseres.\n2. Faltas\na) Llegar tarde.\n",
        [(1, "REGLAMENTO INTERNO"), (2, "1. Objeto"), (2, "2. Faltas")],
    ),
    "a signature": ("Badajoz, 3 de mayo\n\nJUAN PÉREZ\nDirector\n", []),
    "sentences": ("Artículo 5 de la ley dice que nadie entra.\nSin permiso.\n\n3 de mayo de 2026\nReunión.\n", []),
    "a sentence that wraps before a label": (
        "Según se dispone en el reglamento de régimen interior, y en particular en el\n"
        "Artículo 5, las personas que trabajan en la tienda deberán avisar con una\nantelación de dos días.\n",
        [],
    ),
    "steps": ("Pasos:\n\n1. Compruebe la presión.\n2. Abra la llave.\n3. Cierre la puerta.\n", []),
    "one number": ("30 Sillas\nSe guardan en el almacén de la planta baja, junto al muelle.\n", []),
}


@pytest.mark.parametrize(("source", "outline"), OUTLINES.values(), ids=OUTLINES.keys())
def test_outlines(parse: Parse, headings: Outline, source: str, outline: list[tuple[int, str]]) -> None:
    document = parse(source.encode(), "normas.txt")
    assert headings(document) == outline
    assert "".join(document.text.split()) == "".join(source.split())
