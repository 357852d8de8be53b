"""What a page holds but does not show: hidden elements, by their attributes, their style and the page's own rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lxml import etree, html

from skillnet_common.documents import Removal, RemovalReason
from skillnet_parser.formats.html_look import Look, is_out_of_sight, parse_colour
from skillnet_parser.formats.html_styles import Declarations, bring_styles, declarations

_INSTEAD = frozenset({"object", "iframe", "audio", "video", "canvas", "option", "datalist"})
"""Their text stands for what is shown instead, or comes at a click."""
_SCRIPTS_SHOW = frozenset({"html", "head", "body"})
"""What hides a page whole is taken back by a script, lest the page flicker."""
_OFTEN_DARK = frozenset({"pre", "code"})
_GROUNDS = frozenset({"background", "background-color"})
_TAKEN = "skillnet-taken"


@dataclass(frozen=True, slots=True)
class Hidden:
    """The text that went with hidden elements; `is_complete` where all rules of the page were looked at."""

    removed: list[Removal]
    is_complete: bool


def take_hidden(root: html.HtmlElement) -> Hidden:
    """Takes hidden elements, and styles, out of the tree."""
    linked = bool(root.xpath("//link[contains(@rel, 'stylesheet')]"))
    is_complete = bring_styles(root)
    elements = list(root.iter(etree.Element))
    view = _View(elements, Look(ground=None) if linked else Look())
    removed: list[Removal] = []
    taken: set[html.HtmlElement] = set()
    for element in elements:
        if element.getparent() in taken:
            taken.add(element)
        elif element in view.unseen:
            taken.add(element)
            removed += _told(RemovalReason.HIDDEN, element.itertext())
            _mark(element)
        elif not view.looks[element].is_seen:
            removed += _told(RemovalReason.HIDDEN, _take_own_text(element))
    _strip(root)
    return Hidden(removed, is_complete)


def take(elements: Iterable[html.HtmlElement], reason: RemovalReason) -> list[Removal]:
    """Takes the elements, which come in the order of the page, out of their tree; the text that went with them. One
    within another goes with it, and the root stays."""
    removed: list[Removal] = []
    taken: set[html.HtmlElement] = set()
    for element in elements:
        if element.getparent() is None or not taken.isdisjoint(element.iterancestors()):
            continue
        taken.add(element)
        removed += _told(reason, element.itertext())
    for element in taken:
        _mark(element)
    if taken:
        _strip(next(iter(taken)).getroottree().getroot())
    return removed


class _View:
    """How each element looks, and which are not seen with all that is below them."""

    def __init__(self, elements: list[html.HtmlElement], ground: Look) -> None:
        self.looks: dict[html.HtmlElement, Look] = {}
        self.unseen: set[html.HtmlElement] = set()
        keeps_noscript = _is_all_noscript(elements[0])
        for element in elements:
            style = _style(element)
            look = self.looks.get(element.getparent(), ground).within(style)
            if element.tag in _OFTEN_DARK and not _GROUNDS & style.keys():
                look = replace(look, ground=None)
            if element.tag in _SCRIPTS_SHOW:
                look = replace(look, visible=True, sized=True)
            elif _is_hidden(element, style) or (element.tag == "noscript" and not keeps_noscript):
                self.unseen.add(element)
            self.looks[element] = look
        for element in reversed(elements):
            if not self.looks[element].is_seen and self._is_unseen_below(element):
                self.unseen.add(element)

    def _is_unseen_below(self, element: html.HtmlElement) -> bool:
        return element.tag not in _SCRIPTS_SHOW and all(
            child in self.unseen for child in element.iterchildren(tag=etree.Element)
        )


def _style(element: html.HtmlElement) -> Declarations:
    """What an element declares, older attributes of colour first."""
    style = element.get("style")
    declared = declarations(style) if style is not None else {}
    if (color := element.get("color") if element.tag == "font" else None) is not None:
        declared.setdefault("color", color.lower())
    if (ground := element.get("bgcolor")) is not None and parse_colour(ground) is not None:
        declared.setdefault("background-color", ground.lower())
    if element.get("background") is not None:
        declared.setdefault("background-image", "url(of-the-page)")
    return declared


def _is_hidden(element: html.HtmlElement, style: Declarations) -> bool:
    """Whether an element is hidden with all that is below it."""
    hides = (element.get("hidden") is not None and element.get("hidden") != "until-found") or (
        element.tag == "dialog" and element.get("open") is None
    )
    return (
        element.tag in _INSTEAD
        or (hides and "display" not in style)
        or element.get("aria-hidden", "").lower() == "true"
        or is_out_of_sight(style)
    )


def _is_all_noscript(root: html.HtmlElement) -> bool:
    """Whether a page says nothing but that it needs scripts, or says all it has to those without."""
    if next(root.iter("noscript"), None) is None:
        return False
    outside = [element for element in root.iter(etree.Element) if not _is_within(element, ("noscript", "head"))]
    return not any((element.text or "").strip() for element in outside) and not any(
        (element.tail or "").strip() for element in outside + list(root.iter("noscript"))
    )


def _is_within(element: html.HtmlElement, tags: tuple[str, ...]) -> bool:
    return element.tag in tags or next(element.iterancestors(*tags), None) is not None


def _take_own_text(element: html.HtmlElement) -> Iterator[str]:
    """The text of an element but that of the elements in it, which is seen."""
    yield element.text or ""
    element.text = None
    for child in element.iterchildren():
        yield child.tail or ""
        child.tail = None


def _told(reason: RemovalReason, texts: Iterable[str]) -> list[Removal]:
    words = " ".join(" ".join(texts).split())
    return [Removal(reason, None, words)] if words else []


def _mark(element: html.HtmlElement) -> None:
    """For `_strip`: to take out one by one costs the square of their number."""
    element.tag = _TAKEN


def _strip(root: html.HtmlElement) -> None:
    etree.strip_elements(root, _TAKEN, with_tail=False)
