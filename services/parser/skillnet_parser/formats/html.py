"""HTML to drafts of blocks: what a reader of the page sees, without what belongs to the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lxml import etree, html

from skillnet_common.documents import BlockKind, Removal
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.draft import DraftBlock, DraftDocument
from skillnet_parser.formats.html_encoding import decode_html
from skillnet_parser.formats.html_flow import read_flow
from skillnet_parser.formats.html_hidden import take_hidden
from skillnet_parser.formats.html_site import take_buttons, take_site
from skillnet_parser.formats.html_tags import shorten_tags
from skillnet_parser.formats.sniff import FileType

_NEVER_SHOWN = ["script", "template", "input"]
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNREAD_RULES = "The page has more rules of style than are looked at: text that they hide may have been read."


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows: its blocks, the text that was left out, and what could not be looked at."""

    blocks: tuple[DraftBlock, ...]
    removed: tuple[Removal, ...]
    warnings: tuple[str, ...]


def read_html(path: Path) -> DraftDocument:
    """The blocks of a page. Scripts, hidden elements and what belongs to the site around it are left out.

    Raises `PermanentFault`: corrupt_file, nothing_readable, and what `decode_text` raises.
    """
    decoded = decode_html(path.read_bytes())
    root = parse_html(decoded.text)
    if root is None:
        raise PermanentFault(ErrorCode.NOTHING_READABLE, "The document holds no readable text.")
    title = " ".join((root.findtext("head/title") or "").split())
    shown = read_shown(root, take_site)
    return DraftDocument(
        shown.blocks,
        FileType.HTML,
        title=_only_top_heading(shown.blocks) or title or _first_heading(shown.blocks),
        warnings=(*decoded.warnings, *shown.warnings),
        removed=shown.removed,
    )


def read_shown(
    root: html.HtmlElement, take_more: Callable[[html.HtmlElement], Iterable[Removal]] = lambda _root: ()
) -> Shown:
    """The blocks of a tree, without what is hidden, what `take_more` takes out, and buttons. The tree is used up."""
    hidden = take_hidden(root)
    removed = (*hidden.removed, *take_more(root), *take_buttons(root))
    return Shown(tuple(read_flow(root)), removed, () if hidden.is_complete else (_UNREAD_RULES,))


def parse_html(source: str) -> html.HtmlElement | None:
    """The page's tree without scripts and the like; None where there is no element. Raises `PermanentFault`:
    corrupt_file where elements are nested past what the library takes, which would drop the rest."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        source = shorten_tags(source.replace("\x00", ""))
        root = html.document_fromstring(source.encode(errors="replace"), parser=parser)
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


def _only_top_heading(blocks: tuple[DraftBlock, ...]) -> str | None:
    """A page's own heading is a better title than `title`, which ends in the site's name."""
    top = [block for block in blocks if block.kind is BlockKind.HEADING and block.level == 1]
    return top[0].pieces[0].text if len(top) == 1 else None


def _first_heading(blocks: tuple[DraftBlock, ...]) -> str | None:
    return next((block.pieces[0].text for block in blocks if block.kind is BlockKind.HEADING), None)
