"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

_MIN_FILLED_SHARE = 0.5


def render_rows(rows: Sequence[Sequence[str]], *, headed: bool = True) -> list[str]:
    """A line per table row, the delimiter of Markdown joined to the first, below an empty header where the rows
    are not `headed`. Rows are padded to one width; a `|` in a cell is escaped, white space of any kind becomes
    one space. Empty where no cell has text."""
    width = max((len(row) for row in rows), default=0)
    cells = [[_render_cell(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    kept = [row for row in cells if any(row)]
    if not kept:
        return []
    lines = [f"| {' | '.join(row)} |" for row in kept]
    rule = "|" + " --- |" * width
    lines[0] = f"{lines[0]}\n{rule}" if headed else f"|{'  |' * width}\n{rule}\n{lines[0]}"
    return lines


def render_table(rows: Sequence[Sequence[str]]) -> str:
    """The whole table as Markdown, its first row the header; "" where no cell has text."""
    return "\n".join(render_rows(rows))


def is_plausible(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a grid found on a page is a table: two rows and two columns with text at least, half of the
    cells filled. Boxes drawn around paragraphs are not."""
    filled_rows = sum(1 for row in rows if any(cell.strip() for cell in row))
    width = max((len(row) for row in rows), default=0)
    filled_columns = sum(
        1 for column in range(width) if any(column < len(row) and row[column].strip() for row in rows)
    )
    if filled_rows < 2 or filled_columns < 2:
        return False
    filled = sum(1 for row in rows for cell in row if cell.strip())
    return filled >= _MIN_FILLED_SHARE * filled_rows * filled_columns


def _render_cell(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
