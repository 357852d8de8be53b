"""What a page holds but does not show: hidden elements, by their attributes, their style and the page's own rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tinycss2
from cssselect import GenericTranslator, SelectorError
from lxml import etree, html
from tinycss2 import color3

from skillnet_common.documents import Removal, RemovalReason

_STYLE_CHARS = 1_000_000
"""Of a page's own rules so many characters are looked at: no hand writes more."""
_MOST_STEPS = 20_000_000
"""Of looking for what rules hide: elements of the page, four times over for each step of a selector."""
_DEEPEST_MEDIA = 8
_MOST_DIGITS = 20  # of a number: the library refuses thousands
_STEPS = re.compile(r"[\s>+~]+(?=\S)")
_LONG_NUMBER = re.compile(rf"\d{{{_MOST_DIGITS},}}")
_FAR_OFF = -999.0  # pixels: what is put so far from the page is not on it
_OFFSETS = ("left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top")
_NEAR_WHITE = 0.94

Declarations = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Hidden:
    """The text that went with hidden elements; `is_complete` where all rules of the page were looked at."""

    removed: list[Removal]
    is_complete: bool


def take_hidden(root: html.HtmlElement) -> Hidden:
    """Takes hidden elements, and styles, out of the tree."""
    sheet = _sheet(root)
    on_white = not _paints_behind(root, sheet)
    by_rules, is_complete = _hidden_by_rules(root, sheet, on_white=on_white)
    etree.strip_elements(root, "style", with_tail=False)
    hidden = (
        element
        for element in list(root.iter(etree.Element))
        if element in by_rules or is_hidden(element, on_white=on_white)
    )
    return Hidden(take(hidden, RemovalReason.HIDDEN), is_complete)


def take(elements: Iterable[html.HtmlElement], reason: RemovalReason) -> list[Removal]:
    """Takes the elements, which come in the order of the page, out of their tree; the text that went with them. One
    within another goes with it, and the root stays."""
    removed: list[Removal] = []
    taken: set[html.HtmlElement] = set()
    for element in elements:
        if element.getparent() is None or not taken.isdisjoint(element.iterancestors()):
            continue
        taken.add(element)
        text = " ".join(" ".join(element.itertext()).split())
        element.drop_tree()
        removed += [Removal(reason, None, text)] if text else []
    return removed


def is_hidden(element: html.HtmlElement, *, on_white: bool = False) -> bool:
    """Whether its own attributes hide an element; `on_white` where nothing of the page paints a background."""
    style = element.get("style")
    return (
        element.tag == "noscript"
        or (element.get("hidden") is not None and element.get("hidden") != "until-found")
        or element.get("aria-hidden", "").lower() == "true"
        or (style is not None and _hides(_declarations(_plain_numbers(style)), on_white=on_white))
        or (on_white and element.tag == "font" and _is_white(element.get("color")))
    )


def _hidden_by_rules(root: html.HtmlElement, sheet: str, *, on_white: bool) -> tuple[set[html.HtmlElement], bool]:
    """The elements that a rule of the page hides and no later one shows again, and whether all rules were looked at.
    The weight of selectors is not. Selectors that no still page can answer (`:hover`) hide nothing."""
    translator = GenericTranslator()
    hidden: set[html.HtmlElement] = set()
    elements = sum(1 for _ in root.iter(etree.Element))
    steps = 0
    for selectors, declarations in _rules_that_matter(sheet[:_STYLE_CHARS], on_white=on_white):
        depth = max(len(_STEPS.findall(selector)) for selector in selectors.split(","))
        steps += elements * 4 ** min(depth, _MOST_DIGITS)
        if steps > _MOST_STEPS:
            return hidden, False
        try:
            found = set(root.xpath(translator.css_to_xpath(selectors)))
        except (SelectorError, etree.XPathError, RecursionError):
            continue
        if _hides(declarations, on_white=on_white):
            hidden |= found
        else:
            hidden -= found
    return hidden, len(sheet) <= _STYLE_CHARS


def _rules_that_matter(sheet: str, *, on_white: bool) -> Iterator[tuple[str, Declarations]]:
    """Those that hide, or show what another has hidden."""
    for selectors, declarations in _rules(_plain_numbers(sheet)):
        if _hides(declarations, on_white=on_white) or {"display", "visibility"} & declarations.keys():
            yield selectors, declarations


def _sheet(root: html.HtmlElement) -> str:
    shown = (sheet for sheet in root.iter("style") if "print" not in sheet.get("media", "").lower())
    return "\n".join(sheet.text or "" for sheet in shown)


def _rules(source: str | list[Any], depth: int = 0) -> Iterator[tuple[str, Declarations]]:
    for rule in tinycss2.parse_rule_list(source, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule" and (selectors := _selectors(rule)):
            yield selectors, _declarations(rule.content)
        elif depth < _DEEPEST_MEDIA and _is_for_screens(rule):
            yield from _rules(rule.content, depth + 1)


def _selectors(rule: Any) -> str:
    """Empty for those nested so deeply that the library gives up: nobody writes them."""
    try:
        return str(tinycss2.serialize(rule.prelude)).strip()
    except RecursionError:
        return ""


def _is_for_screens(rule: Any) -> bool:
    is_media = rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content is not None
    return is_media and "print" not in tinycss2.serialize(rule.prelude).lower()


def _declarations(source: str | list[Any]) -> Declarations:
    found = tinycss2.parse_blocks_contents(source, skip_comments=True, skip_whitespace=True)
    return {
        one.lower_name: tinycss2.serialize(one.value).strip().lower() for one in found if one.type == "declaration"
    }


def _hides(style: Declarations, *, on_white: bool) -> bool:
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or _number(style.get("font-size")) == 0
        or _number(style.get("opacity")) == 0
        or any((_number(style.get(name)) or 0.0) <= _FAR_OFF for name in _OFFSETS)
        or _has_no_contrast(style, on_white=on_white)
    )


def _has_no_contrast(style: Declarations, *, on_white: bool) -> bool:
    color = style.get("color")
    if color is None:
        return False
    behind = style.get("background-color", style.get("background"))
    if behind is None:
        return on_white and _is_white(color)
    parsed = color3.parse_color(color)
    return parsed is not None and parsed == color3.parse_color(behind)


def _is_white(color: str | None) -> bool:
    parsed = color3.parse_color(color) if color else None
    return isinstance(parsed, color3.RGBA) and min(parsed[:3]) >= _NEAR_WHITE


def _paints_behind(root: html.HtmlElement, sheet: str) -> bool:
    """Whether anything gives the page another ground than white; sheets of other files may."""
    if root.xpath("//link[contains(@rel, 'stylesheet')]") or root.xpath("//*[@bgcolor or @background]"):
        return True
    return "background" in sheet.lower() or any("background" in one.lower() for one in root.xpath("//@style"))


def _plain_numbers(style: str) -> str:
    return _LONG_NUMBER.sub("9" * (_MOST_DIGITS - 1), style)


def _number(value: str | None) -> float | None:
    """The figure of a length or share; None where it is none."""
    token = tinycss2.parse_one_component_value(value) if value else None
    return float(token.value) if token is not None and token.type in ("number", "dimension", "percentage") else None
