"""HTML: what a reader of the page sees, in sections, lists and tables."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


@pytest.fixture
def page(parse: Parse) -> Callable[[str], ParsedDocument]:
    """A page with this body."""
    return lambda body: parse(f"<!DOCTYPE html><html><body>{body}</body></html>".encode(), "a.html")


Page = Callable[[str], ParsedDocument]


def test_headings_are_sections_with_levels(page: Page, headings: Outline) -> None:
    document = page(
        "<h1>Manual de <em>tienda</em></h1><p>Uno.</p><div><h2>Pedidos\n y albaranes</h2></div><h3></h3>"
        "<div role=heading aria-level=3>Plazos</div><h2>Caja</h2>"
    )
    assert headings(document) == [(1, "Manual de tienda"), (2, "Pedidos y albaranes"), (3, "Plazos"), (2, "Caja")]
    assert (document.title, document.file_type, document.page_count_estimated) == ("Manual de tienda", "html", True)


def test_paragraphs_and_what_stands_in_lines(page: Page, blocks_of: BlocksOf) -> None:
    document = page(
        "Suelto <b>y</b>\n negrita<p>Uno<br>dos &amp; tres&nbsp;cuatro <a href='http://x.es'>enlace</a>.<p>Otro"
        "<span><div>dentro</div></span> fin<!-- nota --> &ntilde;&#241; <img alt='Plano' src=x>"
    )
    assert blocks_of(document, BlockKind.PARAGRAPH) == [
        "Suelto y negrita",
        "Uno\ndos & tres cuatro enlace.",
        "Otro",
        "dentro",
        "fin ññ Plano",
    ]


def test_lists_with_depth_and_numbers(page: Page, blocks_of: BlocksOf) -> None:
    document = page(
        "<ul><li>a<ul><li>b <b>c</b></li><li><p>d</p><p>e</p></li></ul></li><li>f</ul><ol start=3><li>x<li>y</ol>"
        "<dl><dt>Vale<dd>Un bono.</dl>"
    )
    assert blocks_of(document, BlockKind.LIST) == [
        "- a\n  - b c\n  - d\n    e\n- f",
        "3. x\n4. y",
        "- Vale\n  Un bono.",
    ]


def test_a_heading_or_code_in_a_list_stands_alone(page: Page, headings: Outline, blocks_of: BlocksOf) -> None:
    document = page("<ul><li><h3>Pan</h3>Barra</li><li>Bollo<pre>x = 1</pre>fin</li></ul>")
    assert headings(document) == [(3, "Pan")]
    assert blocks_of(document, BlockKind.LIST) == ["- Barra\n- Bollo", "  fin"]
    assert blocks_of(document, BlockKind.CODE) == ["x = 1"]


def test_code_keeps_its_lines(page: Page, blocks_of: BlocksOf) -> None:
    document = page("<pre>\n<code>def f():\n\n    pass<br>fin\n</code></pre>")
    assert blocks_of(document, BlockKind.CODE) == ["def f():\n\n    pass\nfin"]


def test_tables_with_merged_cells_once(page: Page, blocks_of: BlocksOf) -> None:
    document = page(
        "<table><caption>Precios</caption><tbody><tr><td rowspan=2>1<td colspan=2>2|3<tr><td>4<td><p>5</p><p>6</p>"
        "</tbody><thead><tr><th>A<th>B<th>C</thead></table>"
    )
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Precios"]
    assert blocks_of(document, BlockKind.TABLE) == [
        "| A | B | C |\n| --- | --- | --- |\n| 1 | 2\\|3 |  |\n|  | 4 | 5 6 |"
    ]


def test_tables_that_lay_out_a_page_are_no_tables(page: Page, headings: Outline, blocks_of: BlocksOf) -> None:
    document = page(
        "<table><tr><td>Menú</td><td><h2>Plazos</h2><p>Dos días.</p><table><tr><th>Día</th><th>Hora</th></tr>"
        "<tr><td>Lunes</td><td>7</td></tr></table></td></tr></table>"
    )
    assert headings(document) == [(2, "Plazos")]
    assert blocks_of(document, BlockKind.TABLE) == ["| Día | Hora |\n| --- | --- |\n| Lunes | 7 |"]


@pytest.mark.parametrize("span", ["1000000000000", "-3", "x", "65000"])
def test_spans_past_reason(page: Page, blocks_of: BlocksOf, span: str) -> None:
    document = page(f"<table><tr><th colspan={span} rowspan={span}>A<th>B<tr><td>1<td>2</table>")
    (table,) = blocks_of(document, BlockKind.TABLE)
    assert len(table) < 100


@pytest.mark.timeout(30)
def test_grids_of_spans_keep_every_cell(page: Page, blocks_of: BlocksOf) -> None:
    rows = ("<tr>" + "<td colspan=100 rowspan=1000>a" * 20) * 300
    (table,) = blocks_of(page(f"<table>{rows}</table>"), BlockKind.TABLE)
    assert table.count("a") == 20 * 300


def test_what_is_not_shown_is_left_out_and_told(page: Page) -> None:
    document = page(
        "<script>mal1()</script><style>mal2</style><template>mal3</template><noscript>mal4</noscript>"
        "<p hidden>oculto1</p><div style='color:red; DISPLAY : none'>oculto2</div><i aria-hidden=true>oculto3</i>"
        "<p style='visibility:hidden'>oculto4</p>visible<button>mal5</button>"
    )
    assert document.text == "visible"
    assert [(removal.reason, removal.text) for removal in document.removed] == [
        *((RemovalReason.HIDDEN, text) for text in ("mal4", "oculto1", "oculto2", "oculto3", "oculto4")),
        (RemovalReason.RUNNING_LINE, "mal5"),
    ]


STYLE = """
.a, #b > i { display: none } .c{visibility:hidden} .d {font-size:0} .e{opacity:0} .f{position:absolute;left:-9999px}
.g{color:#fff} .h{color:rgb(1,2,3);background-color:#010203} p:hover{display:none} @media print { .k {display:none} }
@media screen { .i{display:none !important} } .j{display:none} .j{display:block}
"""


def test_rules_of_the_page_hide(page: Page) -> None:
    hidden = "".join(f"<p class='x {name}'>oculto {name}</p>" for name in "acdefghi")
    document = page(f"<style>{STYLE}</style>{hidden}<div id=b><i>oculto b</i></div><p class=j>j</p><p class=k>k</p>")
    assert document.text.split("\n\n") == ["j", "k"]
    assert sorted(removal.text for removal in document.removed) == [f"oculto {name}" for name in "abcdefghi"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='font-size:0'>oculto</p>",
        "<p style='color:white'>oculto</p>",
        "<font color='#FFFFFF'>oculto</font>",
        "<p style='opacity: 0.0'>oculto</p>",
        "<p style='position:absolute; text-indent:-5000px'>oculto</p>",
        "<style>.blanco { color: #fefefe; }</style><p class=blanco>oculto</p>",
        "<style>/* background */ .s{color:#fff}</style><p class=s>oculto</p>",
        "<div style='background:#003'><p style='color:#000033'>oculto</p></div>",
        "<p style='color:transparent'>oculto</p>",
        "<p style='color:rgba(0,0,0,0)'>oculto</p>",
        "<p style='font:0/0 a'>oculto</p>",
        "<p style='font-size:.5px'>oculto</p>",
        "<p style='position:absolute;clip:rect(0 0 0 0)'>oculto</p>",
        "<p style='clip-path:inset(50%)'>oculto</p>",
        "<p style='height:0;overflow:hidden'>oculto</p>",
        "<p style='transform:scale(0)'>oculto</p>",
        "<p style='position:absolute;left:-100em'>oculto</p>",
        "<p style='position:fixed;left:9999px'>oculto</p>",
        "<p style='position:absolute;inset:-9999px auto auto'>oculto</p>",
        "<dialog>oculto</dialog>",
        "<object data=plano.svg>oculto</object>",
        "<style><!-- .s{display:none} --></style><p class=s>oculto</p>",
        "<style>P.s{display:none}</style><p class=s>oculto</p>",
        "<style>.s,.s::before{display:none}</style><p class=s>oculto</p>",
        "<style>.s, a:focus-visible{display:none}</style><p class=s>oculto</p>",
        "<style>.s{display:none} p{display:block}</style><p class=s>oculto</p>",
        "<style>.s{display:none !important}</style><p class=s style='display:block'>oculto</p>",
        "<style>.s{opacity:0} .s{display:block}</style><p class=s>oculto</p>",
        "<style>@media screen, print{.s{display:none}}</style><p class=s>oculto</p>",
        "<style media='only screen'>.s{display:none}</style><p class=s>oculto</p>",
        "<style>@layer base{.s{display:none}} @supports (display:grid){p{color:red}}</style><p class=s>oculto</p>",
        "<style>.a{color:red; .s{display:none} & > i{display:none}}</style><p class=a><i class=s>oculto</i></p>",
        "<style>:root{--lejos:none} .s{display:var(--lejos)}</style><p class=s>oculto</p>",
    ],
)
def test_style_hides(page: Page, hidden: str) -> None:
    document = page(f"<p>visible</p>{hidden}")
    assert document.text == "visible"
    assert [removal.text for removal in document.removed] == ["oculto"]


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='color:white;background:navy'>visible</p>",
        "<div style='background-color:#003'><p style='color:#fff'>visible</p></div>",
        "<table bgcolor=navy><tr><td><font color=white>visible</font></table>",
        "<style>.a{display:none} .a:hover{display:block}</style><p>visible</p>",
        "<style>@media print{p{display:none}}</style><p>visible</p>",
        "<style media=print>p{display:none}</style><p>visible</p>",
        "<style>p{opacity:.5;left:-10px;font-size:0.8em} }}} <<</style><p>visible</p>",
        "<link rel=stylesheet href=a.css><p style='color:white'>visible</p>",
        "<style>@media (max-width:600px){p{display:none}}</style><p>visible</p>",
        "<style>@media (prefers-color-scheme:dark){p{color:#fff}}</style><p>visible</p>",
        "<style>@media (prefers-color-scheme:dark){p{background:#222}} p{color:#222}</style><p>visible</p>",
        "<style>@media not all{p{display:none}} @media speech{p{display:none}}</style><p>visible</p>",
        "<style>p{display:none} @media (min-width:600px){p{display:block}}</style><p>visible</p>",
        "<style>@supports not (display:grid){p{display:none}}</style><p>visible</p>",
        "<style>.t{display:none}</style><p class=t style='display:block'>visible</p>",
        "<style>.fade{opacity:0} .fade.show{opacity:1}</style><p class='fade show'>visible</p>",
        "<style>.fade{opacity:0;animation:aparece 1s forwards}</style><p class=fade>visible</p>",
        "<style>body{opacity:0}</style><p>visible</p>",
        "<style>p:not(p){display:none} [hidden]{display:flex}</style><p hidden>visible</p>",
        "<noscript><style>p{display:none}</style></noscript><p>visible</p>",
        "<p style='left:-9999px'>visible</p>",
        "<p style='font-size:2vw'>visible</p>",
        "<p style='background:linear-gradient(red,blue);color:transparent'>visible</p>",
        "<p style='color:white;text-shadow:1px 1px #000'>visible</p>",
        "<div style='position:absolute'><p style='color:white'>visible</p></div>",
        "<noscript><p>visible</p></noscript>",
        "<textarea>visible</textarea>",
        "<svg><title>plano</title><text>visible</text></svg>",
        "<dialog open>visible</dialog>",
        "<h3><button>visible</button></h3>",
        "<style>[title='\\1 ']{display:none} p:contains('v'){display:none}</style><p>visible</p>",
        "<p style='color:" + "(" * 3_000 + "'>visible</p>",
    ],
)
def test_what_style_shows(page: Page, shown: str) -> None:
    document = page(shown)
    assert document.text == "visible"
    assert document.removed == ()


@pytest.mark.parametrize(
    "style", ["font-size:0", "visibility:hidden", "color:#fff"], ids=["without size", "invisible", "white"]
)
def test_what_is_seen_within_what_is_not(page: Page, style: str) -> None:
    shown = "font-size:12px;visibility:visible;color:#000"
    document = page(f"<p>Antes</p><div style='{style}'>uno <span style='{shown}'>visible</span> dos</div>")
    assert document.text == "Antes\n\nvisible"
    assert [removal.text for removal in document.removed] == ["uno dos"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "body",
    [
        "<p " + " ".join(f"a{number}=1" for number in range(200_000)) + " hidden>oculto</p>",
        "<p " + " ".join(f"a{number}='x>y<z'" for number in range(200_000)) + " hidden>oculto</p>",
        "<p hidden class='" + " ".join(f"c{number}" for number in range(200_000)) + "'>oculto</p>",
        "<style>" + "".join(f".c{number}{{display:none}}" for number in range(100_000)) + "</style>"
        "<p hidden>oculto</p>" + "<i>visible</i> " * 20_000,
        "<p hidden style='" + "color:red;" * 200_000 + "'>oculto</p>",
        "<style>" + "@media screen{" * 500 + "i{display:none}" + "}" * 500 + "</style><p hidden>oculto</p>",
        "<style>" + "p:not(" * 3_000 + ")" * 3_000 + "{display:none}</style><p hidden>oculto</p>",
        "<style>" + "p " * 3_000 + "{display:none}</style><p hidden>oculto</p>",
        "<style>i{font-size:" + "9" * 100_000 + "} .x{display:none}</style><p class=x>oculto</p>",
        "<style>" + "".join(f"div div div div .c{number}{{display:none}}" for number in range(300)) + "</style>"
        "<p hidden>oculto</p>" + "<div>" * 100 + "<i>visible</i> " * 3_000 + "</div>" * 100,
        "<style>svg|a, p::before, p:hover, [x='\x01'] {display:none} .x{display:none}</style><p class=x>oculto</p>",
        "<style>u ~ i ~ u{display:none} b ~ b ~ s{opacity:1} i ~ i ~ b ~ b ~ s{opacity:1}</style><p><u>a</u>"
        + "<b>visible</b><i>x</i>" * 5_000
        + "<u>oculto</u>",
        "<style>" + "".join(f"i:nth-child({step}n+1){{display:block}}" for step in range(1, 300)) + "</style>"
        "<p hidden>oculto</p>" + "<i>visible</i> " * 5_000,
        "<p hidden>oculto</p>" + "<b hidden></b>visible " * 60_000,
        "<p hidden>oculto</p><ol start=9{0}><li>a</ol><i role=heading aria-level=9{0}>b</i>".format("9" * 5_000),
    ],
    ids=[
        *("attributes", "signs in attributes", "classes", "rules", "declarations", "nested media"),
        *("nested negations", "steps", "numbers", "descendants", "selectors nobody can answer"),
        *("siblings", "every so many", "hidden words", "long numbers"),
    ],
)
def test_more_markup_than_anybody_writes(page: Page, body: str) -> None:
    document = page(f"{body}<p>fin</p>")
    assert document.text.endswith("fin")
    assert [removal.text for removal in document.removed] == ["oculto"]


SITE = "<header>Cabecera</header><nav>Menú</nav>{}<aside>Publicidad</aside><footer>Aviso legal</footer>"


@pytest.mark.parametrize("element", ["main", "article"])
def test_the_site_is_left_out_around_the_main_content(page: Page, element: str) -> None:
    inner = "<header>Entrada</header><h1>Título</h1><p>Cuerpo</p><nav>Índice</nav><aside>Nota</aside>"
    document = page(SITE.format(f"<{element}>{inner}</{element}>"))
    assert document.text.split("\n\n") == ["Entrada", "Título", "Cuerpo", "Nota"]
    assert {removal.text for removal in document.removed} == {
        "Cabecera", "Menú", "Índice", "Publicidad", "Aviso legal",
    }  # fmt: skip


def test_around_the_main_content_names_and_links_tell_too(page: Page) -> None:
    document = page(
        "<div class=breadcrumbs><a href=/>Inicio</a> » Ayuda</div><main><h1>Cambios</h1><p>Con tique.</p>"
        f"<p>{'Sin tique no se devuelve dinero. ' * 8}</p>"
        "<aside><h4>Ver también</h4><a href=/a>Devoluciones y vales</a></aside></main>"
        "<div id=cookie-notice><p>Usamos cookies.</p><button>Aceptar</button></div>"
    )
    assert document.text.split("\n\n")[:2] == ["Cambios", "Con tique."]
    assert len(document.text.split("\n\n")) == 3


def test_links_to_places_of_the_page_are_its_contents(page: Page, blocks_of: BlocksOf) -> None:
    document = page(
        "<h1>Manual</h1><ul><li><a href='#a'>1. Alcance</a><ul><li><a href='#b'>1.1 Tiendas</a></ul></ul>"
        "<h2 id=a>1. Alcance</h2><p>Todo.</p><ul><li><a href=/x>Otra página</a><li><a href='#a'>Arriba</a></ul>"
    )
    assert blocks_of(document, BlockKind.CONTENTS) == ["1. Alcance\n1.1 Tiendas"]
    assert blocks_of(document, BlockKind.LIST) == ["- Otra página\n- Arriba"]


def test_bullets_that_a_word_processor_wrote_make_a_list(page: Page, blocks_of: BlocksOf) -> None:
    mark = "<span style='font-family:Symbol'>·<span style='font:7.0pt \"Times New Roman\"'>&nbsp; </span></span>"
    document = page(f"<p>Al recibir:</p><p class=MsoListParagraph>{mark}Contar</p><p>{mark}Firmar</p><p>Fin.</p>")
    assert blocks_of(document, BlockKind.LIST) == ["· Contar\n· Firmar"]


def test_landmarks_without_links_are_text(page: Page) -> None:
    document = page(SITE.format("<p>Cuerpo</p>"))
    assert document.text.split("\n\n") == ["Cabecera", "Cuerpo", "Publicidad", "Aviso legal"]
    assert [removal.text for removal in document.removed] == ["Menú"]


LINKS = "".join(f"<li><a href='/{name}'>{name}</a>" for name in ("Inicio", "Productos", "Tiendas", "Contacto"))
BODY = "<h1>Devoluciones</h1>" + "<p>Sin tique no se devuelve dinero, pero puede darse un vale.</p>" * 5


@pytest.mark.parametrize(
    "site",
    [
        f"<div class='main-menu'><ul>{LINKS}</ul></div>",
        f"<ul id=nav>{LINKS}</ul>",
        f"<div class=sidebar><h4>Enlaces</h4><ul>{LINKS}</ul></div>",
        f"<footer><ul>{LINKS}</ul> © 2026 La Espiga</footer>",
        f"<div role=contentinfo><ul>{LINKS}</ul></div>",
        f"<header><ul>{LINKS}</ul></header>",
        "<div class=breadcrumb><a href=/>Inicio</a> &gt; <a href=/a>Ayuda</a></div>",
        "<div id=cookie-banner>Usamos cookies propias y de terceros. <a href=/c>Aceptar</a></div>",
    ],
)
def test_the_site_is_told_by_names_and_links(page: Page, site: str) -> None:
    document = page(f"<div class=wrap>{site}<div class=content>{BODY}</div></div>")
    assert document.text.split("\n\n")[0] == "Devoluciones"
    assert len(document.text.split("\n\n")) == 6
    assert {removal.reason for removal in document.removed} == {RemovalReason.RUNNING_LINE}


@pytest.mark.parametrize(
    "content",
    [
        f"<h1>Índice</h1><div class=menu><ul>{LINKS * 2}</ul></div>",  # all that the page is about
        "<p>Menú del día</p><div class=menu><p>Sopa, pollo asado y fruta del tiempo.</p></div>",
        "<p>Cuerpo</p><footer><p>La Espiga Dorada, calle de la Fuente 3, Badajoz. Teléfono 924 000 000.</p></footer>",
        "<header><h1>Política de cookies</h1></header><div id=cookies><p>Las cookies son ficheros.</p></div>",
        f"<p>Cuerpo</p><div class=content><ul>{LINKS}</ul></div>",
        "<h2>Datos</h2><section id=consentimiento><h3>Consentimiento</h3><p>Sin él no se usan cookies.</p></section>",
        "<header><h1>Devoluciones</h1><p>Cómo y cuándo.</p></header><main><p>Con tique, 30 días.</p></main>",
    ],
)
def test_content_that_looks_like_a_site_stays(page: Page, content: str) -> None:
    assert page(content).removed == ()


def test_the_title_is_the_pages_where_it_has_no_single_heading(parse: Parse) -> None:
    document = parse(b"<html><head><title> Plazos \n - Tienda</title></head><h1>Uno</h1><h1>Dos</h1>", "a.html")
    assert document.title == "Plazos - Tienda"


SPANISH = "<html><head>{}</head><body><p>El año que viene, mañana y camión</p></body></html>"


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("", "utf-8"),
        ("", "cp1252"),
        ("", "utf-16"),
        ("", "utf-8-sig"),
        ("<meta charset=iso-8859-1>", "cp1252"),
        ("<meta charset=iso-8859-15>", "iso-8859-15"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=macintosh'>", "mac-roman"),
        ("<meta charset='iso-8859-1'>", "utf-8"),  # a template's
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=unicode_escape>", "utf-8"),
        ("<meta charset=nonsense>", "cp1252"),
    ],
)
def test_encodings(parse: Parse, head: str, encoding: str) -> None:
    document = parse(SPANISH.format(head).encode(encoding), "a.html")
    assert document.text == "El año que viene, mañana y camión"


@pytest.mark.parametrize("encoding", ["shift_jis", "iso-2022-jp", "euc-jp", "gb2312", "koi8-r"])
def test_the_named_encoding(parse: Parse, encoding: str) -> None:
    text = "Привет" if encoding == "koi8-r" else "日本"
    data = f"<html><head><meta charset={encoding}></head><body>{text}</body></html>".encode(encoding)
    assert parse(data, "a.html").text == text


def test_mark_before_bytes(parse: Parse) -> None:
    data = codecs.BOM_UTF8 + "<html><meta charset=windows-1251><p>año".encode()
    assert parse(data, "a.html").text == "año"


@pytest.mark.parametrize("tag", ["div", "b", "blockquote"])
def test_deep_nesting_loses_nothing(page: Page, tag: str) -> None:
    assert page(f"<p>Antes{f'<{tag}>' * 300}dentro").text.endswith("dentro")


@pytest.mark.parametrize("depth", [1_500, 100_000])
@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td"])
def test_nesting_past_reason_is_named(page: Page, tag: str, depth: int) -> None:
    with pytest.raises(PermanentFault) as caught:
        page(f"<p>Antes{f'<{tag}>' * depth}dentro")
    assert caught.value.code is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize(
    "data", [b"<html></html>", b"<html><script>x</script>", b"<!doctype html>", b"<p><!-- x -->"]
)
def test_nothing_to_read(parse: Parse, data: bytes) -> None:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.html")
    assert caught.value.code is ErrorCode.NOTHING_READABLE


def test_entities_that_grow_do_not(parse: Parse) -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><html><p>uno &b; dos</p></html>'
    assert len(parse(bomb.encode(), "a.html").text) < 100


def test_a_preamble_longer_than_what_is_looked_at(parse: Parse, shared_data: Path) -> None:
    folder = shared_data / "text/apache+tika/tika-parsers/tika-parsers-standard"
    (path,) = folder.rglob("big-preamble.html")
    document = parse(path.read_bytes(), path.name)
    assert "Группа компаний" in (document.title or "")
    assert len(document.sections) > 30


def test_hidden_text_within_hidden_text_is_told_once(page: Page) -> None:
    document = page("<p>visible</p><div hidden>uno <b hidden>dos</b></div>")
    assert [removal.text for removal in document.removed] == ["uno dos"]


def test_rules_beyond_what_is_looked_at_are_a_warning(page: Page) -> None:
    rules = "".join(f".c{number}{{display:none}}" for number in range(20_000))
    document = page(f"<style>{rules}</style><p>visible</p>" + "<i>x</i>" * 3_000)
    assert ["rules of style" in warning for warning in document.warnings] == [True]
    assert page("<style>.a{display:none}</style><p>visible</p>").warnings == ()


def test_a_menu_within_a_header_is_told_once(page: Page) -> None:
    document = page("<header>La Espiga <nav>Inicio</nav></header><main><p>Cuerpo</p></main>")
    assert [removal.text for removal in document.removed] == ["La Espiga Inicio"]
