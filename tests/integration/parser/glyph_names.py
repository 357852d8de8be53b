"""Fonts that lie about their letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CMAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
{count} beginbfchar
{pairs}
endbfchar
endcmap end end"""


def name_letters(document: Any, font: int, names: Mapping[int, int]) -> None:
    """Makes the font (an xref) of the document say that its codes mean these characters; at most 100 of them."""
    pairs = "\n".join(f"<{code:02X}> <{char:04X}>" for code, char in names.items())
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, _CMAP.format(count=len(names), pairs=pairs).encode())
    document.xref_set_key(font, "ToUnicode", f"{stream} 0 R")
