"""Labels that number a heading, and what only looks like one."""

from __future__ import annotations

import pytest

from skillnet_parser.domain.numbering import read_label


@pytest.mark.parametrize(
    ("text", "family", "rank", "rest"),
    [
        ("TÍTULO II", "division", 2, ""),
        ("CAPÍTULO I. Transparencia", "division", 3, "Transparencia"),
        ("Sección 1.ª Disposiciones generales", "division", 4, "Disposiciones generales"),
        ("Artículo 5. Deber de confidencialidad.", "division", 6, "Deber de confidencialidad"),
        ("Artículo 53 bis. Actuaciones", "division", 6, "Actuaciones"),
        ("Disposición adicional decimotercera. Datos", "division", 2, "Datos"),
        ("ANEXO", "division", 2, "ANEXO"),
        ("Anexo A. Formularios", "division", 2, "Formularios"),
        ("2.1 Alcance", "decimal", 1, "Alcance"),
        ("3.2.1. Cuadrante", "decimal", 2, "Cuadrante"),
        ("4. Registro", "decimal", 0, "Registro"),
    ],
)
def test_labels(text: str, family: str, rank: int, rest: str) -> None:
    label = read_label(text)
    assert label is not None
    assert (label.family, label.rank, label.rest) == (family, rank, rest)


@pytest.mark.parametrize(
    "text",
    [
        "artículo 5 de la Ley Orgánica",
        "Artículo 5 del Reglamento (UE) 2016/679",
        "Parte de la empresa",
        "Título de la obra",
        "2020 fue un año difícil",
        "Plazos",
        "",
    ],
)
def test_no_labels(text: str) -> None:
    assert read_label(text) is None
