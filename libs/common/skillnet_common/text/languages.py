"""The language of a question: a few words, too short for the statistics of letters that tell a text's."""

from __future__ import annotations

import re

from skillnet_common.text.words import words

DEFAULT_LANGUAGE = "es"

_SPANISH = """
a al algo antes aqui aunque cada como con cual cuales cualquier cuando cuanta cuantas cuanto cuantos cuesta de debe
debo dime del desde despues donde dos el ella ellos en entre es esa ese eso esta estan este esto fue ha hace hacen
hacer hago hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos nuestra nuestro o otra otro para
pero poco por porque pueda puede pueden puedo que quien quienes se sea segun ser si sin sobre son su sus tal tambien
tanto te tengo tenemos tiene tienen toda todo todos tras tu un una unos usted y ya yo
"""
_ENGLISH = """
a about after all am an and any are as at be because been before but by can could did do does for from get had has
have how i if in into is it its long many may me more much must my need no not of on one or our out should so some
than that the their them then there these they this to under up us was we were what when where which who whose why
will with without work would you your
"""
_PORTUGUESE = """
a alguem algum alguma antes ao aos as ate com como cada da das de deve devo do dos e ela ele eles em entre essa esse
esta este eu fazer faco foi ha isso isto ja la lhe mais mas me meu meus minha muito na nao nas nem no nos nossa
nosso num numa o onde os ou para pela pelas pelo pelos pode podem posso por porque preciso qual quais qualquer quando
quanta quantas quanto quantos que quem sao se sem ser seu sua sobre so tambem tem temos tenho ter todo todos tudo um
uma vou voce
"""
_COMMON_WORDS = {
    "es": frozenset(_SPANISH.split()),
    "en": frozenset(_ENGLISH.split()),
    "pt": frozenset(_PORTUGUESE.split()),
}
"""Folded; words of two languages vote for both."""
_OWN_LETTERS = {"es": re.compile("[ñ¿¡]", re.IGNORECASE), "pt": re.compile("[ãõçâêô]", re.IGNORECASE)}
_LETTER_VOTES = 2


def question_language(question: str) -> str:
    """ISO 639-1: `es`, `en` or `pt`, whichever has most of the question's words among its commonest ones; letters and
    signs that only Spanish or only Portuguese has count double. Spanish where it is among those that tie."""
    said = words(question)
    votes = {code: sum(word in common for word in said) for code, common in _COMMON_WORDS.items()}
    for code, letters in _OWN_LETTERS.items():
        votes[code] += _LETTER_VOTES * len(letters.findall(question))
    return max(votes, key=lambda code: (votes[code], code == DEFAULT_LANGUAGE))
