"""Markdown by a parser of Markdown, not by expressions: fences, front matter, tables, nested lists."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


def test_headings_make_sections_and_code_does_not(parse: Parse, headings: Outline, blocks_of: BlocksOf) -> None:
    source = "Antes.\n\n# Guía #\n\nTexto.\n\n```sh\n# comentario\n  sangrado\n```\n\nUso\n---\n\nFin.\n"
    document = parse(source.encode(), "guia.md")
    assert headings(document) == [(1, "Guía"), (2, "Uso")]
    assert blocks_of(document, BlockKind.CODE) == ["# comentario\n  sangrado"]
    assert document.text.startswith("Antes.\n\nGuía")
    assert document.sections[0].end == len("Antes.")
    assert document.title == "Guía"


def test_front_matter_gives_the_title_and_stays_out(parse: Parse) -> None:
    document = parse(b'---\ntitle: "Decreto 25/2018"\nestado: vigente\n---\n\n# Otro\n\nTexto.\n', "a.md")
    assert document.title == "Decreto 25/2018"
    assert "estado" not in document.text


@pytest.mark.parametrize("source", ["---\n\nTexto tras una raya.\n", "---\nsin cierre\n"])
def test_a_rule_at_the_top_is_no_front_matter(parse: Parse, source: str) -> None:
    assert source.strip("-\n ").split("\n")[0] in parse(source.encode(), "a.md").text


def test_tables_keep_their_cells(parse: Parse, blocks_of: BlocksOf) -> None:
    source = "| Código | Precio |\n|---|---:|\n| `PAN-001` | **0,95 €** |\n| a \\| b | |\n"
    assert blocks_of(parse(source.encode(), "a.md"), BlockKind.TABLE) == [
        "| Código | Precio |\n| --- | --- |\n| PAN-001 | 0,95 € |\n| a \\| b |  |"
    ]


def test_lists_keep_markers_and_depth(parse: Parse, blocks_of: BlocksOf) -> None:
    source = "3. Tres\n4. Cuatro\n   - dentro\n     sigue\n\nFin\n"
    document = parse(source.encode(), "a.md")
    assert blocks_of(document, BlockKind.LIST) == ["3. Tres\n4. Cuatro\n  - dentro sigue"]


def test_a_code_block_in_a_list_stands_by_itself(parse: Parse) -> None:
    document = parse(b"- uno\n\n  ```\n  x = 1\n  ```\n- dos\n", "a.md")
    assert [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks] == [
        ("list", "- uno"),
        ("code", "x = 1"),
        ("list", "- dos"),
    ]


def test_inline_markup_disappears_and_its_text_stays(parse: Parse) -> None:
    source = "Ver [la guía](https://x.example), ![plano](p.png), *ya* y `cmd -v`.<br>Línea<b>!</b> &aacute; 5 * 3\n"
    assert parse(source.encode(), "a.md").text == "Ver la guía, plano, ya y cmd -v.\nLínea! á 5 * 3"


def test_html_blocks_give_their_text_and_headings(parse: Parse, headings: Outline) -> None:
    source = (
        "<div>\n<h2>Aviso</h2>\n<p>Cerrado &amp; vacío</p>\n<script>alert(1)</script>\n<!-- nota -->\n</div>\n\nFin\n"
    )
    document = parse(source.encode(), "a.md")
    assert headings(document) == [(2, "Aviso")]
    assert document.text == "Aviso\n\nCerrado & vacío\n\nFin"


def test_comments_and_attributes_of_headings_go(parse: Parse, headings: Outline) -> None:
    source = "## Uso {/*usage*/}\n\ntexto\n\n## Alta {#alta}\n\ntexto\n"
    assert headings(parse(source.encode(), "a.mdx")) == [(2, "Uso"), (2, "Alta")]


def test_quoted_headings_do_not_divide_the_document(parse: Parse, headings: Outline) -> None:
    document = parse(b"# Ley\n\n> ## Citado\n>\n> texto citado\n\n## Propio\n", "a.md")
    assert headings(document) == [(1, "Ley"), (2, "Propio")]
    assert "Citado\n\ntexto citado" in document.text


def test_equal_paths_have_ids_of_their_own_that_do_not_change(parse: Parse) -> None:
    first = parse(b"# A\n\n## B\n\nuno\n\n## B\n\ndos\n", "a.md")
    second = parse(b"# A\n\n## B\n\nuno, corregido\n\n## B\n\ndos\n\n## C\n\ntres\n", "a.md")
    ids = [section.section_id for section in first.sections]
    assert len(set(ids)) == 4
    assert [section.section_id for section in second.sections][:4] == ids


def test_html_within_is_read_as_html(parse: Parse, blocks_of: BlocksOf) -> None:
    source = (
        "# Tarifa\n\n<table>\n<tr><th>Pan</th><th>Precio</th></tr>\n\n"
        "<tr><td>Barra</td><td>0,95</td></tr>\n</table>\n\n"
        "<details>\n<summary>Más</summary>\n\nTexto **plegado**.\n\n</details>\n\n<ul><li>uno<li>dos</ul>\n"
    )
    document = parse(source.encode(), "a.md")
    assert blocks_of(document, BlockKind.TABLE) == ["| Pan | Precio |\n| --- | --- |\n| Barra | 0,95 |"]
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Más", "Texto plegado."]
    assert blocks_of(document, BlockKind.LIST) == ["- uno\n- dos"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>oculto</div>",
        "<p style='display:none'>oculto</p>",
        "<div style='display:none'>\n\noculto\n\n</div>",
        "<div hidden>\n<div>\n\noculto\n\n</div>\n</div>",
        "<style>.x{display:none}</style><p class=x>oculto</p>",
    ],
)
def test_html_that_hides_hides_and_is_told(parse: Parse, hidden: str) -> None:
    document = parse(f"Antes.\n\n{hidden}\n\nDespués.\n".encode(), "a.md")
    assert document.text.split("\n\n") == ["Antes.", "Después."]
    assert [(removal.reason, removal.text) for removal in document.removed] == [(RemovalReason.HIDDEN, "oculto")]


def test_tags_in_a_line_hide_what_they_hide(parse: Parse) -> None:
    source = (
        "El plazo es de <span style='display:none'>cien <b>largos</b> días</span>un *mes*<script>mal()</script>.\n\n"
        "El <!-- nota -->H<sub>2</sub>O y `<p hidden>`<br>fin <span hidden>abierto"
    )
    document = parse(source.encode(), "a.md")
    assert document.text.split("\n\n") == ["El plazo es de un mes.", "El H2O y <p hidden>\nfin"]
    assert [removal.text for removal in document.removed] == ["cien largos días", "abierto"]


def test_a_page_named_as_markdown_is_a_page(parse: Parse, headings: Outline) -> None:
    document = parse(b"<!-- v2 -->\n<html lang=es><body><h1>Normas</h1><p>Texto</p></body></html>", "a.md")
    assert (document.file_type, headings(document)) == ("html", [(1, "Normas")])


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "body",
    [
        "<table>" + "<tr><td>a</td><td>b</td></tr>\n\n" * 5_000 + "</table>",
        "<table>\n\n" * 5_000,
        "<div hidden>\n\n</div>\n\n" * 5_000,
        "<span hidden>x</span>" * 10_000,
        "<b>" * 20_000,
    ],
    ids=["rows", "open tables", "hidden blocks", "hidden words", "open tags"],
)
def test_more_html_than_anybody_writes(parse: Parse, body: str) -> None:
    assert parse(f"Antes.\n\n{body}\n\nfin\n".encode(), "a.md").text.startswith("Antes.")


@pytest.mark.parametrize(
    "shown",
    [
        "copiar <origen> <destino>",
        "si n<m y m>k, o a<b y b>c",
        "la etiqueta <script> ejecuta, <textarea> no",
        "<origen>",
        "List<String> nombres",
    ],
)
def test_what_only_looks_like_a_tag_is_text(parse: Parse, shown: str) -> None:
    document = parse(f"# Uso\n\n{shown}\n\nFin.\n".encode(), "a.md")
    assert document.text.split("\n\n") == ["Uso", shown, "Fin."]
    assert document.removed == ()


@pytest.mark.parametrize(
    ("source", "shown", "hidden"),
    [
        ("<div hidden>\n\n<p>SECRETO</p>\n</div>\n\nvisible", ["visible"], ["SECRETO"]),
        ("<p>visible</p>\n<div hidden>\n\nSECRETO\n\n</div>", ["visible"], ["SECRETO"]),
        ("uno\n\n<!-- <div hidden> -->\n\ndos", ["uno", "dos"], []),
        ("```\n<div hidden>\n```\n\ndos", ["<div hidden>", "dos"], []),
        ("<pre>&lt;p hidden></pre>\n\ndos", ["<p hidden>", "dos"], []),
        ("<p hidden>SECRETO\n\ndos", ["dos"], ["SECRETO"]),
        ("<style>.x{display:none}</style>\n\nuno\n\n<p class=x>SECRETO</p>", ["uno"], ["SECRETO"]),
        ("<span title='>' style='display:none'>SECRETO</span>uno", ["uno"], ["SECRETO"]),
        ("<body hidden>\n\nuno", ["uno"], []),
        ("<html hidden>\n\n<head hidden>\n\nuno", ["uno"], []),
        ("<Tabs>\n<TabItem value='a'>\n\nuno\n\n</TabItem>\n</Tabs>", ["uno"], []),
        (
            "<Ficha nombre='a'>\n    uno\n</Ficha>\n\n<Ficha>\n    dos\n</Ficha>\n\n<Pie />\n\ntres",
            ["uno", "dos", "tres"],
            [],
        ),
        ("<script setup>\nimport a\n</script>\n\nuno", ["uno"], []),
        ("<pre><b style='color:white'>uno</b></pre>", ["uno"], []),
        ("<details><summary>Más</summary>\n\n- uno\n- dos\n\n</details>", ["Más", "- uno\n- dos"], []),
        ("uno {/* nota *con* asteriscos */} dos {/* abierta", ["uno dos {/* abierta"], []),
    ],
)
def test_html_and_markdown_are_one_page(parse: Parse, source: str, shown: list[str], hidden: list[str]) -> None:
    document = parse(source.encode(), "a.md")
    assert document.text.split("\n\n") == shown
    assert [removal.text for removal in document.removed] == hidden


def test_nesting_that_drops_text_is_told(parse: Parse) -> None:
    document = parse(("Antes.\n\n" + "> " * 20_000 + "hondo\n").encode(), "a.md")
    assert ["nested deeper" in warning for warning in document.warnings] == [True]


def test_tags_nested_past_reason_stand_as_text(parse: Parse) -> None:
    document = parse(("Antes.\n\n" + "<div>\n" * 3_000 + "\nhondo\n").encode(), "a.md")
    assert document.text.endswith("hondo")
    assert ["as text" in warning for warning in document.warnings] == [True]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "source",
    [
        "{/* " * 40_000,
        "<div>\n<" + "a" * 200_000,
        "---\ntitle: a" + " " * 100_000 + "\nx: y\n---\n\nfin",
        "# a" + " " * 100_000 + "b {#c",
        "<p " + "a='" * 50_000,
        "<a " + "b " * 50_000 + ">",
    ],
    ids=["comments", "names", "front matter", "headings", "quotes", "attributes"],
)
def test_long_lines_take_no_time(parse: Parse, source: str) -> None:
    assert parse(f"Antes.\n\n{source}\n".encode() if "---" not in source else source.encode(), "a.md").text
