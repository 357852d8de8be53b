"""HTML to drafts of blocks: what a reader of the page sees, without what belongs to the site."""

from __future__ import annotations

import re
from pathlib import Path

from lxml import etree, html

from skillnet_common.documents import BlockKind, Removal, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.draft import DraftBlock, DraftDocument
from skillnet_parser.formats.html_encoding import decode_html
from skillnet_parser.formats.html_flow import read_flow
from skillnet_parser.formats.sniff import FileType

_NEVER_SHOWN = [
    "script",
    "style",
    "template",
    "noscript",
    "svg",
    "canvas",
    "iframe",
    "object",
    "audio",
    "video",
    "option",
    "datalist",
    "button",
    "input",
    "textarea",
]
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAIN = "//main | //article | //*[@role='main']"
_OF_THE_SITE = "//nav | //footer | //aside | //header | //*[@role='navigation']"


def read_html(path: Path) -> DraftDocument:
    """The blocks of a page. Scripts, styles and hidden elements are left out; where the page has a `main` or an
    `article`, so are the navigation and the headers, footers and asides outside of it.

    Raises `PermanentFault`: corrupt_file, nothing_readable, and what `decode_text` raises.
    """
    decoded = decode_html(path.read_bytes())
    root = parse_html(decoded.text)
    if root is None:
        raise PermanentFault(ErrorCode.NOTHING_READABLE, "The document holds no readable text.")
    title = " ".join((root.findtext(".//title") or "").split())
    removed = [*_take_site(root), *take_hidden(root)]
    blocks = tuple(read_flow(root))
    return DraftDocument(
        blocks,
        FileType.HTML,
        title=_only_top_heading(blocks) or title or _first_heading(blocks),
        warnings=decoded.warnings,
        removed=tuple(removed),
    )


def parse_html(source: str) -> html.HtmlElement | None:
    """The page's tree without what is never shown; None where there is no element. Raises `PermanentFault`:
    corrupt_file where elements are nested past what the library takes, which would drop the rest."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(source.replace("\x00", "").encode(errors="replace"), parser=parser)
    except etree.ParserError:
        return None
    if any(error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log):
        raise PermanentFault(ErrorCode.CORRUPT_FILE, "The page's elements are nested too deeply to be read.")
    etree.strip_elements(root, *_NEVER_SHOWN, with_tail=False)
    _drop_controls(root)
    return root


def _drop_controls(root: html.HtmlElement) -> None:
    """Takes out characters that the parser lets in and the tree refuses as soon as it is changed."""
    for element in root.iter(etree.Element):
        if element.text and _NO_XML.search(element.text):
            element.text = _NO_XML.sub("", element.text)
        if element.tail and _NO_XML.search(element.tail):
            element.tail = _NO_XML.sub("", element.tail)


def take_hidden(root: html.HtmlElement) -> list[Removal]:
    """Takes hidden elements out of the tree; returns the text that went with them."""
    return [
        removal
        for element in list(root.iter(etree.Element))
        if _is_hidden(element) and (removal := _take(element, RemovalReason.HIDDEN)) is not None
    ]


def _is_hidden(element: html.HtmlElement) -> bool:
    return (
        (element.get("hidden") is not None and element.get("hidden") != "until-found")
        or element.get("aria-hidden", "").lower() == "true"
        or _HIDDEN_STYLE.search(element.get("style", "")) is not None
    )


def _take_site(root: html.HtmlElement) -> list[Removal]:
    main = set(root.xpath(_MAIN))
    if not main:
        return []
    return [
        removal
        for element in root.xpath(_OF_THE_SITE)
        if (element.tag == "nav" or main.isdisjoint(element.iterancestors()))
        and main.isdisjoint(element.iter())
        and (removal := _take(element, RemovalReason.RUNNING_LINE)) is not None
    ]


def _take(element: html.HtmlElement, reason: RemovalReason) -> Removal | None:
    """None where no text went, as when an element around it had gone already."""
    if element.getparent() is None:
        return None
    text = " ".join(element.text_content().split())
    element.drop_tree()
    return Removal(reason, None, text) if text else None


def _only_top_heading(blocks: tuple[DraftBlock, ...]) -> str | None:
    """A page's own heading is a better title than `title`, which ends in the site's name."""
    top = [block for block in blocks if block.kind is BlockKind.HEADING and block.level == 1]
    return top[0].pieces[0].text if len(top) == 1 else None


def _first_heading(blocks: tuple[DraftBlock, ...]) -> str | None:
    return next((block.pieces[0].text for block in blocks if block.kind is BlockKind.HEADING), None)
