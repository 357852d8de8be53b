"""CSV and TSV: one table with its header, in any of the usual delimiters and encodings."""

from __future__ import annotations

import codecs
from collections.abc import Callable

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault

Parse = Callable[..., ParsedDocument]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

SOURCE = "Código;Descripción;Precio\n0041;Pan de pueblo;1,20\n0042;Año nuevo;3,50\n"
TABLE = """\
| Código | Descripción | Precio |
| --- | --- | --- |
| 0041 | Pan de pueblo | 1,20 |
| 0042 | Año nuevo | 3,50 |"""


@pytest.mark.parametrize(
    "data",
    [
        SOURCE.encode(),
        codecs.BOM_UTF8 + SOURCE.encode(),
        SOURCE.replace("\n", "\r\n").encode("cp1252"),
        SOURCE.replace("\n", "\r").encode(),
        SOURCE.encode("utf-16"),
        SOURCE.replace(";", "\t").encode(),
        SOURCE.replace(";", "|").encode(),
        b"sep=;\r\n" + SOURCE.encode(),
        SOURCE.replace(",", "§").replace(";", ",").replace("1§20", '"1,20"').replace("3§50", '"3,50"').encode(),
    ],
)
def test_a_table_in_any_form(parse: Parse, blocks_of: BlocksOf, data: bytes) -> None:
    document = parse(data, "precios.csv")
    assert blocks_of(document, BlockKind.TABLE) == [TABLE]
    assert (document.file_type, document.page_count_estimated) == ("csv", True)


def test_quoted_fields(parse: Parse, blocks_of: BlocksOf) -> None:
    data = b'a,b\n"uno ""1""","dos\ntres | cuatro"\n'
    (table,) = blocks_of(parse(data, "a.csv"), BlockKind.TABLE)
    assert table.endswith('| uno "1" | dos tres \\| cuatro |')


def test_rows_of_unequal_length(parse: Parse, blocks_of: BlocksOf) -> None:
    (table,) = blocks_of(parse(b"a,b,c\n1\n1,2,3,4\n1,2,3\n", "a.csv"), BlockKind.TABLE)
    assert table.split("\n")[2:] == ["| 1 |  |  |  |", "| 1 | 2 | 3 | 4 |", "| 1 | 2 | 3 |  |"]


def test_a_quote_that_is_never_closed_loses_nothing(parse: Parse) -> None:
    document = parse(b'a,b\n"uno,dos\n' + b"tres,cuatro\n" * 20_000, "a.csv")
    assert document.text.count("cuatro") == 20_000


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b";;;\n;;;\n", ErrorCode.NOTHING_READABLE),
        (b"\xff\xfea", ErrorCode.CORRUPT_FILE),
        ("Привет;мир\n".encode("cp866"), ErrorCode.UNSUPPORTED_TYPE),
    ],
)
def test_what_cannot_be_read(parse: Parse, data: bytes, code: ErrorCode) -> None:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.csv")
    assert caught.value.code is code


HEAD = "| Producto | Precio | Nota |\n| --- | --- | --- |\n"
ROWS = "Producto;Precio;Nota\nPan;1,20;frío\nLeche;0,95;frío\nAgua;0,50;\n"
READ = HEAD + "| Pan | 1,20 | frío |\n| Leche | 0,95 | frío |\n| Agua | 0,50 |  |"


@pytest.mark.parametrize(
    "title", ["Tarifa 2026\n\n", "Tarifa 2026\n", "Tarifa 2026;;\n", "Tarifa 2026, tienda Norte\n\n"]
)
def test_decimal_commas_below_a_title_line(parse: Parse, blocks_of: BlocksOf, title: str) -> None:
    document = parse((title + ROWS).encode(), "tarifa.csv")
    assert blocks_of(document, BlockKind.PARAGRAPH) == [title.strip(";\n")]
    assert blocks_of(document, BlockKind.TABLE) == [READ]


def test_decimal_commas_above_a_row_that_is_too_long(parse: Parse, blocks_of: BlocksOf) -> None:
    (table,) = blocks_of(parse((ROWS + "Extra;1;2;3;4\n").encode(), "tarifa.csv"), BlockKind.TABLE)
    assert table.startswith("| Producto | Precio | Nota |  |  |\n")
    assert "\n| Pan | 1,20 | frío |  |  |\n" in table
    assert table.endswith("\n| Extra | 1 | 2 | 3 | 4 |")


def test_more_decimal_commas_than_delimiters(parse: Parse, blocks_of: BlocksOf) -> None:
    (table,) = blocks_of(parse(b"1,20;2,30;3,40\n5,60;7,80;9,10\n0,10;0,20;0,30\n", "medidas.csv"), BlockKind.TABLE)
    assert table.endswith("\n| 5,60 | 7,80 | 9,10 |\n| 0,10 | 0,20 | 0,30 |")


def test_lists_within_the_fields_of_a_comma_table(parse: Parse, blocks_of: BlocksOf) -> None:
    (table,) = blocks_of(parse(b"id,tags\n1,pan;leche\n2,agua;vino\n", "etiquetas.csv"), BlockKind.TABLE)
    assert table == "| id | tags |\n| --- | --- |\n| 1 | pan;leche |\n| 2 | agua;vino |"
