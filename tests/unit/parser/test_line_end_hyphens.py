"""Words broken at the end of a line."""

from __future__ import annotations

import pytest

from skillnet_parser.domain.hyphens import HyphenJoiner, ends_broken


@pytest.mark.parametrize(
    ("above", "below", "evidence", "joined"),
    [
        ("devolu-", "ciones", "", "devoluciones"),
        ("devolu\u00ad", "ciones", "", "devoluciones"),
        ("devolu\u2010", "ciones", "", "devoluciones"),
        ("físico-", "químico", "", "físico-químico"),
        ("price-", "determining", "", "pricedetermining"),
        ("price-", "determining", "the price-determining step", "price-determining"),
        ("pan-", "madera", "una panmadera y otra panmadera", "panmadera"),
        ("obra-", "dor", "el obra y el dor", "obrador"),
        ("guerra-", "mundo", "la guerra y el mundo", "guerra-mundo"),
        ("2024-", "2025", "", "2024-2025"),
        ("García-", "Pérez", "", "García-Pérez"),
        ("fin-de-", "semana", "", "fin-de-semana"),
        ("one-", "size-fits-all", "", "one-size-fits-all"),
        ("una raya -", "así", "", "una raya - así"),
        ("pan", "blanco", "", "pan blanco"),
    ],
)
def test_joining(above: str, below: str, evidence: str, joined: str) -> None:
    text, joint = HyphenJoiner([above, below, evidence]).join(above, below)
    assert text + joint + below == joined


@pytest.mark.parametrize(("text", "broken"), [("devolu-", True), ("una raya -", False), ("-", False), ("pan", False)])
def test_broken_lines(text: str, broken: bool) -> None:
    assert ends_broken(text) is broken
