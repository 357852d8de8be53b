"""UTF-8 that some program took for a western code page and encoded once more: `CAPÃ\x8dTULO` for `CAPÍTULO`."""

from __future__ import annotations

import re

import ftfy

_SIGN = re.compile("[ÃÂâ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]")
_LEAST = 3  # signs in a text: fewer may be what an author meant


def mend_twice_encoded(text: str) -> str:
    """The text as it was before, by the rules of ftfy; as it stands where too little speaks for it."""
    if sum(1 for _ in zip(range(_LEAST), _SIGN.finditer(text), strict=False)) < _LEAST:
        return text
    return "\n".join(ftfy.fix_encoding(line) if _SIGN.search(line) else line for line in text.split("\n"))
