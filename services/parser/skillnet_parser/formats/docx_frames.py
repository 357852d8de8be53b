"""Charts and diagrams (SmartArt) that a Word document shows: parts of their own, which its body only names."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, text_block
from skillnet_parser.domain.tables import render_table
from skillnet_parser.formats.ooxml import OFFICE_RELATIONSHIPS, RELATIONSHIP_ID
from skillnet_parser.formats.pptx_text import DIAGRAM, C, read_chart, read_diagram

FRAMES = frozenset({f"{C}chart", f"{DIAGRAM}relIds"})
"""The elements that name one."""
_DIAGRAM_DATA = f"{{{OFFICE_RELATIONSHIPS}}}dm"


def read_frame(reference: etree._Element, frames: dict[str, etree._Element]) -> Iterator[DraftBlock]:
    """The values of a chart as a table under its title, the texts of a diagram as a list. `frames` are the parts,
    by relationship."""
    frame = frames.get(reference.get(RELATIONSHIP_ID) or reference.get(_DIAGRAM_DATA, ""))
    if frame is None:
        return
    if frame.tag == f"{C}chartSpace":
        title, rows = read_chart(frame)
        yield text_block(BlockKind.PARAGRAPH, title)
        yield text_block(BlockKind.TABLE, render_table(rows))
    else:
        for line in read_diagram(frame):
            yield text_block(BlockKind.LIST, line.as_item())
