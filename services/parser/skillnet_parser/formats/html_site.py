"""What belongs to a site and not to the page: menus, side columns, footers, notices of cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree, html

from skillnet_common.documents import Removal, RemovalReason
from skillnet_parser.formats.html_hidden import take

_MAIN = "//main | //article | //*[@role='main']"
_OF_THE_SITE = "//nav | //footer | //aside | //header | //*[@role='navigation']"
_MAYBE_OF_THE_SITE = (
    "//nav | //footer | //aside | //header | //*[@role='navigation' or @role='banner' or @role='contentinfo'"
    " or @role='complementary' or @role='search'] | //*[self::div or self::section or self::ul][@id or @class]"
)
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:menu|nav|navbar|navigation|navegacion|sidebar|side-?bar|barra-lateral|footer|pie|breadcrumbs?|migas|"
    r"toolbar|topbar|social|share|compartir|related|relacionados)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CONSENT_NAMES = re.compile(r"cookie|(?:^|[\s_-])(?:consent|gdpr|rgpd)(?:$|[\s_-])", re.IGNORECASE)
_LANDMARKS = frozenset({"nav", "footer", "aside", "header"})
_TITLED = "ancestor::*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6 or self::summary]"
_LINKED_SHARE = 0.5  # of the characters: more is a menu, less is text with links
_NOTICE_SHARE = 0.3  # of the page: a notice is short beside it
_MOST_TAKEN = 0.75  # of the page's text: where more would go, the links are what the page is about


def take_site(root: html.HtmlElement) -> list[Removal]:
    """Takes out what belongs to the site; returns the text that went.

    Around a `main` or an `article` these are the navigation, headers, footers and asides outside of it. All else is
    judged by its landmarks and names together with the share of its text that is links (link density, as Kohlschütter
    et al. 2010), and stays where hardly anything would be left.
    """
    main = set(root.xpath(_MAIN))
    around = list(_around(main, root)) if main else []
    chosen = {*around, *_judged(root, main)}
    return take([element for element in root.iter(etree.Element) if element in chosen], RemovalReason.RUNNING_LINE)


def take_buttons(root: html.HtmlElement) -> list[Removal]:
    """Takes out buttons; those that are a heading, which unfold what is below it, stay as its text."""
    for button in root.xpath(f"//button[{_TITLED}]"):
        button.drop_tag()
    return take(list(root.iter("button")), RemovalReason.RUNNING_LINE)


def _around(main: set[html.HtmlElement], root: html.HtmlElement) -> Iterator[html.HtmlElement]:
    is_titled = any(next(element.iter("h1"), None) is not None for element in main)
    for element in root.xpath(_OF_THE_SITE):
        outside = element.tag == "nav" or main.isdisjoint(element.iterancestors())
        holds_title = not is_titled and next(element.iter("h1"), None) is not None
        if outside and main.isdisjoint(element.iter()) and not holds_title:
            yield element


def _judged(root: html.HtmlElement, main: set[html.HtmlElement]) -> list[html.HtmlElement]:
    whole = _length(root)
    chosen: list[html.HtmlElement] = []
    within: set[html.HtmlElement] = set()
    for element in root.xpath(_MAYBE_OF_THE_SITE):
        if not within.isdisjoint(element.iterancestors()):
            continue
        if _is_of_the_site(element, whole) and main.isdisjoint(element.iter()):
            chosen.append(element)
            within.add(element)
    return chosen if sum(map(_length, chosen)) <= _MOST_TAKEN * whole else []


def _is_of_the_site(element: html.HtmlElement, whole: int) -> bool:
    if element.find(".//h1") is not None:
        return False
    if element.tag == "nav" or element.get("role") == "navigation":
        return True
    names = f"{element.get('id', '')} {element.get('class', '')}"
    if _CONSENT_NAMES.search(names):
        return _asks_for_consent(element) and _length(element) <= _NOTICE_SHARE * whole
    named = element.tag in _LANDMARKS or element.get("role") is not None or _NAMES.search(names) is not None
    return named and _linked_share(element) >= _LINKED_SHARE


def _asks_for_consent(element: html.HtmlElement) -> bool:
    """A notice is answered by a button; a chapter about cookies has a heading and none."""
    answers = next(element.iter("button", "a"), None) is not None
    return answers and "cookie" in element.text_content().lower()


def _linked_share(element: html.HtmlElement) -> float:
    return sum(map(_length, element.iter("a"))) / (_length(element) or 1)


def _length(element: html.HtmlElement) -> int:
    """Characters of text, white space aside."""
    return len("".join(element.text_content().split()))
