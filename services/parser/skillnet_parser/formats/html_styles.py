"""The page's own rules of style, brought to its elements as a browser would: order, weight and `!important`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import css_inline
import tinycss2
from lxml import etree, html

from skillnet_parser.formats.html_look import shows_nothing
from skillnet_parser.formats.html_media import When, when_asked, when_supported

Declarations = dict[str, str]

_STYLE_CHARS: Final = 1_000_000
"""Of a page's own rules so many characters are looked at: no hand writes more."""
_MOST_WORK: Final = 50_000_000
"""Rules times elements: some seconds."""
_DEEPEST: Final = 8  # rules within rules
_MOST_SELECTOR: Final = 500  # characters
_NUMBER = "data-skillnet-number"

_THAT_COUNT: Final = frozenset(
    [
        *("display", "visibility", "content-visibility", "opacity", "animation", "animation-name"),
        *("position", "left", "top", "right", "bottom", "inset", "text-indent", "margin-left", "margin-top"),
        *("clip", "clip-path", "height", "width", "overflow", "transform", "scale", "font", "font-size"),
    ]
)
_COLOURS: Final = frozenset({"color", "background", "background-color", "background-image", "text-shadow"})
"""With the others the properties that decide whether text is seen."""
_MOST_DIGITS: Final = 20  # of a number: the library refuses thousands
_LONG_NUMBER = re.compile(rf"\d{{{_MOST_DIGITS},}}")


@dataclass(frozen=True, slots=True)
class _Rule:
    selector: str
    block: str


def bring_styles(root: html.HtmlElement) -> bool:
    """Writes into each element's `style` what the page's rules give it, and takes the rules out of the tree.

    Rules for print and speech are not for readers of a screen. Those under a condition (a narrow window, dark
    colours) can show an element, not hide it. False where there are more rules than are looked at.
    """
    sheet = "\n".join(_sheets(root))
    etree.strip_elements(root, "style", with_tail=False)
    rules = list(_flat(_rules(_plain_numbers(sheet[:_STYLE_CHARS]))))
    elements = list(root.iter(etree.Element))
    most = _MOST_WORK // len(elements)
    is_understood = not rules or _inline(root, elements, rules[:most])
    return is_understood and len(sheet) <= _STYLE_CHARS and len(rules) <= most


def declarations(style: str) -> Declarations:
    """What an element's `style` says of the properties that count, in lower case. Values nested past reason are
    left out."""
    return {name: value.lower() for name, (value, _important) in _declared(_plain_numbers(style)).items()}


def _sheets(root: html.HtmlElement) -> Iterator[str]:
    for element in root.iter("style"):
        text = (element.text or "").strip().removeprefix("<!--").removesuffix("-->")
        without_scripts = next(element.iterancestors("noscript"), None) is not None
        media = "(scripting: none)" if without_scripts else element.get("media", "").strip()
        yield f"@media {media} {{{text}}}" if media else text


def _flat(rules: Iterable[Any], above: str = "", when: When = When.ALWAYS, depth: int = 0) -> Iterator[_Rule]:
    """The rules one after the other, those within others with the selector of these."""
    for rule in rules if depth < _DEEPEST else ():
        if rule.type == "qualified-rule":
            for selector in _selectors(rule.prelude, above):
                yield from _rule(selector, rule.content, when)
                yield from _flat(_rules_within(rule.content), selector, when, depth + 1)
        elif rule.type == "at-rule" and rule.content is not None:
            inner = min(when, _condition(rule))
            if inner is not When.NEVER and above:
                yield from _rule(above, rule.content, inner)
                yield from _flat(_rules_within(rule.content), above, inner, depth + 1)
            elif inner is not When.NEVER:
                yield from _flat(_rules(rule.content), above, inner, depth + 1)


def _rule(selector: str, content: Sequence[Any], when: When) -> Iterator[_Rule]:
    declared = _declared(content)
    if when is When.SOMETIMES:
        declared = {name: one for name, one in declared.items() if name not in _COLOURS}
    hides = shows_nothing({name: value.lower() for name, (value, _important) in declared.items()})
    if declared and not (when is When.SOMETIMES and hides):
        lines = (f"{name}:{value}{' !important' * important}" for name, (value, important) in declared.items())
        yield _Rule(selector, ";".join(lines))


def _rules(source: str | Sequence[Any]) -> Iterator[Any]:
    yield from tinycss2.parse_rule_list(source, skip_comments=True, skip_whitespace=True)


def _rules_within(content: Sequence[Any]) -> list[Any]:
    """Those among the declarations of another."""
    found = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
    return [one for one in found if one.type in ("qualified-rule", "at-rule")]


def _condition(rule: Any) -> When:
    prelude = _written(rule.prelude)
    if prelude is None:
        return When.NEVER
    if rule.lower_at_keyword == "media":
        return when_asked(prelude)
    if rule.lower_at_keyword == "supports":
        return when_supported(prelude)
    return When.ALWAYS if rule.lower_at_keyword == "layer" else When.NEVER


def _selectors(prelude: Sequence[Any], above: str) -> Iterator[str]:
    """Each of a list by itself: one that a still page cannot answer is no reason to leave out the others."""
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    for part in parts:
        selector = (_written(part) or "").strip()
        if "&" in selector:
            selector = selector.replace("&", above)
        elif above:
            selector = f"{above} {selector}"
        if 0 < len(selector) <= _MOST_SELECTOR:
            yield selector


def _declared(source: str | Sequence[Any]) -> dict[str, tuple[str, bool]]:
    """Of each property that counts the value, and whether it is important; the last one holds."""
    found: dict[str, tuple[str, bool]] = {}
    for one in tinycss2.parse_blocks_contents(source, skip_comments=True, skip_whitespace=True):
        if one.type != "declaration" or not _counts(one.lower_name):
            continue
        value = _written(one.value)
        if value is not None and (one.important or not found.get(one.lower_name, ("", False))[1]):
            found[one.lower_name] = value, one.important
    return found


def _counts(name: str) -> bool:
    return name in _THAT_COUNT or name in _COLOURS or name.startswith("--")


def _written(tokens: Sequence[Any]) -> str | None:
    """None for what is nested so deeply that the library gives up, or is no value: nobody writes it."""
    try:
        return None if any(token.type == "error" for token in tokens) else str(tinycss2.serialize(tokens)).strip()
    except RecursionError:
        return None


def _plain_numbers(style: str) -> str:
    return _LONG_NUMBER.sub("9" * (_MOST_DIGITS - 1), style)


def _inline(root: html.HtmlElement, elements: Sequence[html.HtmlElement], rules: Sequence[_Rule]) -> bool:
    """The library reads another tree, of the same elements: they are numbered to bring home what it finds. False
    where it does not understand the rules."""
    for number, element in enumerate(elements):
        element.set(_NUMBER, str(number))
    inliner = css_inline.CSSInliner(
        extra_css="\n".join(f"{rule.selector}{{{rule.block}}}" for rule in rules),
        inline_style_tags=False,
        load_remote_stylesheets=False,
        resolve_css_variables=True,
    )
    try:
        inlined = inliner.inline(html.tostring(root, encoding="unicode"))
    except css_inline.InlineError:
        inlined = ""
    for other in html.document_fromstring(inlined).iter(etree.Element) if inlined else ():
        number = other.get(_NUMBER)
        if number is not None and (style := other.get("style")):
            elements[int(number)].set("style", style)
    for element in elements:
        del element.attrib[_NUMBER]
    return bool(inlined)
