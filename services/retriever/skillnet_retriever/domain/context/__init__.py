"""From ranked passages to a tagged block of text within a budget of tokens."""

from skillnet_retriever.domain.context.assembly import Context, assemble

__all__ = ["Context", "assemble"]
