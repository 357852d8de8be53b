"""Pages to drafts: what is a heading, a paragraph, a list, a table, a note, a contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillnet_common.documents import BlockKind, Box, Removal, RemovalReason
from skillnet_parser.domain.body_style import measure_body
from skillnet_parser.domain.bookmarks import Bookmark, is_whole_outline, match_bookmarks
from skillnet_parser.domain.contents import find_contents
from skillnet_parser.domain.draft import DraftBlock, Piece
from skillnet_parser.domain.headings import Heading, find_headings
from skillnet_parser.domain.hyphens import HyphenJoiner
from skillnet_parser.domain.layout import BodyStyle, Item, PageLayout, PlacedTable, Row, is_tabular
from skillnet_parser.domain.levels import assign_levels, find_title
from skillnet_parser.domain.list_depth import depths_of
from skillnet_parser.domain.markers import is_numbered_within, starts_item
from skillnet_parser.domain.named_headings import keep_named
from skillnet_parser.domain.notes import find_notes
from skillnet_parser.domain.paragraphs import continues
from skillnet_parser.domain.reading_order import order_page
from skillnet_parser.domain.run_in import split_run_in
from skillnet_parser.domain.running_lines import drop_running_lines
from skillnet_parser.domain.tables import render_rows
from skillnet_parser.domain.unruled_tables import set_unruled_tables

_MAX_ITEM_CHARS = 400
_SAME_EDGE = 0.01  # of the column's width
_INDENT = "  "


def compose(
    pages: Sequence[PageLayout], bookmarks: Sequence[Bookmark], title: str | None
) -> tuple[list[DraftBlock], list[Removal]]:
    """The blocks of a paged document in reading order, and what was left out; `title` is the document's, where
    it is known."""
    flowing, removed = drop_running_lines(pages)
    items = split_run_in([item for page in flowing for item in order_page(page)])
    body = measure_body(items)
    items, contents = set_unruled_tables(items, find_contents(items, len(pages)))
    notes = find_notes(items, body, {page.number: page.height for page in pages})
    marked = match_bookmarks(items, bookmarks, contents | notes)
    headings = find_headings(items, body, contents | notes, marked)
    if is_whole_outline(len(marked), bookmarks, len(pages)):
        headings = keep_named(headings)
    levels = assign_levels(headings, find_title(headings, title))
    composer = _Composer(items, body, headings, levels, contents, notes)
    blocks = list(composer.compose())
    return blocks, removed + composer.removed


class _Composer:
    """Reads the items once; a paragraph, a list, a run of notes are open until something else begins."""

    def __init__(
        self,
        items: Sequence[Item],
        body: BodyStyle,
        headings: Sequence[Heading],
        levels: Sequence[int],
        contents: set[int],
        notes: set[int],
    ) -> None:
        self._items = items
        self._body = body
        self._headings = {heading.first: (heading, level) for heading, level in zip(headings, levels, strict=True)}
        self._contents = contents
        self._notes = notes
        self._joiner = HyphenJoiner(item.text for item in items if isinstance(item, Row))
        self._paragraph: list[Row] = []
        self._list: list[list[Row]] = []
        self._pending_notes: list[Row] = []
        self.removed: list[Removal] = []

    def compose(self) -> Iterator[DraftBlock]:
        at = 0
        while at < len(self._items):
            item = self._items[at]
            if at in self._headings:
                heading, level = self._headings[at]
                yield from self._close()
                rows = [row for row in self._items[at : heading.last + 1] if isinstance(row, Row)]
                yield DraftBlock(BlockKind.HEADING, self._pieces(rows), level)
                at = heading.last + 1
            elif at in self._contents:
                yield from self._close()
                end = _run_end(at, self._contents)
                yield _block_of_lines(BlockKind.CONTENTS, self._items[at:end])
                at = end
            elif isinstance(item, PlacedTable):
                yield from self._close()
                end = self._table_end(at)
                yield self._table_block([table for table in self._items[at:end] if isinstance(table, PlacedTable)])
                at = end
            else:
                yield from self._read_row(at, item)
                at += 1
        yield from self._close()

    def _read_row(self, at: int, row: Row) -> Iterator[DraftBlock]:
        if at in self._notes:
            # The paragraph stays open: it may go on after the foot of the page.
            self._pending_notes.append(row)
        elif self._paragraph and continues(self._paragraph[-1], row, self._paragraph[0], self._body):
            self._paragraph.append(row)
        else:
            yield from self._close_paragraph(opens_item=self._is_item([row], self._paragraph))
            self._paragraph = [row]

    def _close(self) -> Iterator[DraftBlock]:
        yield from self._close_paragraph(opens_item=False)

    def _close_paragraph(self, *, opens_item: bool) -> Iterator[DraftBlock]:
        """Items of a list are gathered and come out together."""
        if self._paragraph and self._is_item(self._paragraph):
            self._list.append(self._paragraph)
            self._paragraph = []
        if self._list and (self._paragraph or self._pending_notes or not opens_item):
            yield DraftBlock(BlockKind.LIST, self._item_pieces(self._list))
            self._list = []
        if self._paragraph:
            kind = BlockKind.CODE if self._is_code(self._paragraph) else BlockKind.PARAGRAPH
            yield DraftBlock(kind, self._pieces(self._paragraph))
            self._paragraph = []
        if self._pending_notes:
            yield from self._note_blocks(self._pending_notes)
            self._pending_notes = []

    def _is_item(self, rows: Sequence[Row], before: Sequence[Row] = ()) -> bool:
        """Whether the rows are an item, by their marker or as a part of the item `before` them."""
        last = before or (self._list[-1] if self._list else ())
        begins = starts_item(rows[0].text) or (bool(last) and is_numbered_within(rows[0].text, last[0].text))
        return begins and sum(len(row.text) for row in rows) <= _MAX_ITEM_CHARS

    def _is_code(self, rows: Sequence[Row]) -> bool:
        return all(row.style.monospaced for row in rows) and not self._body.monospaced

    def _pieces(self, rows: Sequence[Row]) -> tuple[Piece, ...]:
        """A piece a row, broken words joined."""
        pieces: list[Piece] = []
        joint = " "
        for index, row in enumerate(rows):
            text, next_joint = row.text, " "
            if index + 1 < len(rows):
                below = rows[index + 1]
                if _keeps_lines(row, below):
                    next_joint = "\n"
                else:
                    text, next_joint = self._joiner.join(text, below.text)
            pieces.append(Piece(text, row.box, joint))
            joint = next_joint
        return tuple(pieces)

    def _item_pieces(self, items: Sequence[Sequence[Row]]) -> tuple[Piece, ...]:
        pieces: list[Piece] = []
        for rows, depth in zip(items, depths_of([rows[0] for rows in items]), strict=True):
            first, *rest = self._pieces(rows)
            pieces += (Piece(_INDENT * depth + first.text, first.box, "\n"), *rest)
        return tuple(pieces)

    def _note_blocks(self, rows: Sequence[Row]) -> Iterator[DraftBlock]:
        note: list[Row] = []
        for row in rows:
            if note and not continues(note[-1], row, note[0], self._body):
                yield DraftBlock(BlockKind.NOTE, self._pieces(note))
                note = []
            note.append(row)
        yield DraftBlock(BlockKind.NOTE, self._pieces(note))

    def _table_block(self, tables: Sequence[PlacedTable]) -> DraftBlock:
        """One table; a header repeated on a later page is left out."""
        header = tables[0].table.rows[0]
        rows: list[list[str]] = []
        boxes: list[Box] = []
        for number, placed in enumerate(tables):
            for index, (row, box) in enumerate(zip(placed.table.rows, placed.table.row_boxes, strict=True)):
                repeated = number > 0 and index == 0 and row == header and placed.table.headed
                if repeated:
                    self.removed.append(Removal(RemovalReason.REPEATED_HEADER, placed.page, " | ".join(row)))
                elif any(cell.strip() for cell in row):
                    rows.append([self._join_cell(cell) for cell in row])
                    boxes.append(box)
        lines = zip(render_rows(rows, headed=tables[0].table.headed), boxes, strict=True)
        return DraftBlock(BlockKind.TABLE, tuple(Piece(line, box, "\n") for line, box in lines))

    def _join_cell(self, cell: str) -> str:
        """The lines of a cell as one."""
        joined = ""
        for line in cell.split("\n"):
            head, joint = self._joiner.join(joined, line) if joined else ("", "")
            joined = head + joint + line
        return joined

    def _table_end(self, at: int) -> int:
        """A table goes on at the head of the next page where its columns have the same edges."""
        end = at + 1
        while end < len(self._items) and _continues_table(self._items[end - 1], self._items[end]):
            end += 1
        return end


def _run_end(at: int, indices: set[int]) -> int:
    end = at
    while end in indices:
        end += 1
    return end


def _keeps_lines(row: Row, below: Row) -> bool:
    return (is_tabular(row) and is_tabular(below)) or (row.style.monospaced and below.style.monospaced)


def _block_of_lines(kind: BlockKind, items: Sequence[Item]) -> DraftBlock:
    return DraftBlock(kind, tuple(Piece(item.text, item.box, "\n") for item in items if isinstance(item, Row)))


def _continues_table(above: Item, below: Item) -> bool:
    if not (isinstance(above, PlacedTable) and isinstance(below, PlacedTable) and below.page == above.page + 1):
        return False
    one, other = above.table, below.table
    tolerance = _SAME_EDGE * max(one.rect.width, 1.0)
    return (
        len(one.rows[0]) == len(other.rows[0])
        and abs(one.rect.x0 - other.rect.x0) <= tolerance
        and abs(one.rect.x1 - other.rect.x1) <= tolerance
    )
