"""Pure types that describe a document as read and as cut into chunks. No I/O."""

from skillnet_common.documents.chunk import Chunk
from skillnet_common.documents.parsed import (
    Block,
    BlockKind,
    Box,
    Line,
    ParsedDocument,
    Removal,
    RemovalReason,
    Section,
)

__all__ = ["Block", "BlockKind", "Box", "Chunk", "Line", "ParsedDocument", "Removal", "RemovalReason", "Section"]
