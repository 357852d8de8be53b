"""Words compared without case, accents and endings: a light counterpart of the database's stemmer."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:[.,:/-](?=\d)[^\W_]+)*")
_CODE = re.compile(
    r"\b(?:(?P<letters>[a-z]{1,6})-?|(?P<apart>[a-z]{2,3}) )(?P<digits>\d{2,})(?P<suffix>(?:-[a-z0-9]{1,4})*)\b"
)
_MARKS = dict.fromkeys(range(0x300, 0x370))

_STOP_WORDS = """
a al algo alguna algunas alguno algunos ante antes aquel aquella aun aunque bajo bien cada casi como con contra
cual cuales cualquier cuando cuanta cuantas cuanto cuantos de debe deben del desde donde dos durante e el ella
ellas ellos en entonces entre era eran es esa esas ese eso esos esta estan estar estas este esto estos fue
fueron ha hace hacen hacer hacia han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos
nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pueda puede pueden puedo que quien
quienes se sea segun ser si sido sin sobre son su sus tal tambien tanto te tengo tiene tienen toda todas todo
todos tras tu tus u un una unas uno unos usted y ya yo
about after all an and any are as at be been before but by can could did do does for from had has have how i if
in into is it its may more most my not of on or our should so some than that the their them then there these
they this to was we were what when where which who whom why will with would you your
"""

STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Folded. Spanish and English, since questions come in either."""

_ENDINGS = (
    "aciones", "acion", "amientos", "imientos", "amiento", "imiento", "ciones", "siones", "mente", "adores", "adoras",
    "adora", "cion", "sion", "ables", "ibles", "ando", "iendo", "adas", "ados", "idas", "idos", "ada", "ado", "ida",
    "ido", "able", "ible", "ador", "aban", "aba", "aran", "eran", "iran", "ara", "era", "ira", "ar", "er", "ir", "es",
    "as", "os", "an", "en", "a", "o", "e", "s",
)  # fmt: skip
_SHORTEST_ROOT = 4


def fold(text: str) -> str:
    """Lower case without accents; `ñ` becomes `n`, `½` becomes `1⁄2`."""
    return unicodedata.normalize("NFKD", text.lower()).translate(_MARKS)


def words(text: str) -> list[str]:
    """Folded words in order; figures keep the separators between their digits (`12,50`)."""
    return _WORD.findall(fold(text))


def root(word: str) -> str:
    """The folded word without its Spanish ending, four letters at least (`devoluciones` -> `devolu`)."""
    if any(character.isdigit() for character in word):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            return word[: -len(ending)]
    return word


def codes(text: str) -> list[str]:
    """Codes without their separators: `ISO 9001`, `ISO-9001` and `iso9001` are `iso9001`; one with a suffix is
    given with it and without (`REF-2041-B` -> `ref2041`, `ref2041b`)."""
    found: list[str] = []
    for match in _CODE.finditer(fold(text)):
        letters = match["letters"] or match["apart"]
        if letters in STOP_WORDS:
            continue
        head = letters + match["digits"]
        found += [head, head + "".join(re.findall(r"\w+", match["suffix"]))]
    return list(dict.fromkeys(found))


def content_roots(text: str) -> list[str]:
    """Roots of the words that carry meaning, then codes, each once; stop words and single letters left out."""
    found = [root(word) for word in words(text) if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())]
    return list(dict.fromkeys([*found, *codes(text)]))
