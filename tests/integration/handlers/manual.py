"""A document of three sections, and its changes."""

from __future__ import annotations

RETURNS = "El plazo de devolución es de treinta días con el tique de compra."
OVENS = "Los hornos se limpian cada noche al cerrar y se revisan los lunes."
ALARM = "La llave de la alarma se guarda en el cajetín gris del almacén."
NEW_RETURNS = "El plazo de devolución es de sesenta días con el tique de compra."


def manual(returns: str = RETURNS, *more: str) -> str:
    """Markdown with a section for each subject; `more` is appended as it is."""
    sections = ["# Manual de tienda", "## Devoluciones", returns, "## Hornos", OVENS, "## Alarma", ALARM, *more]
    return "\n\n".join(sections) + "\n"
