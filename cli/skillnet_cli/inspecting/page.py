"""One self-contained HTML page: the original beside what was read of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape

from skillnet_cli.inspecting.readers import PageImage
from skillnet_common.documents import Block, BlockKind, Chunk, Line, ParsedDocument

_STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);
height:100vh}
main,aside{overflow:auto;padding:12px}aside{background:#f4f4f2;border-left:1px solid #ccc}
.page{position:relative;margin:0 auto 14px;box-shadow:0 1px 4px #0005;width:fit-content}.page img{display:block;
max-width:100%}.page b{position:absolute;left:4px;top:4px;background:#fffc;padding:0 4px;font-weight:normal}
.box{position:absolute;border:1px solid #06c5;background:#06c1;cursor:pointer}
.box.heading{border-color:#c20;background:#c202}.box.table{border-color:#080;background:#0801}
.box.contents,.box.note{border-color:#777;background:#7772}.box.on{background:#fd06;border-color:#c80}
.block{margin:4px 0;padding:3px 6px;border-left:3px solid #06c5;white-space:pre-wrap;cursor:pointer;background:#fff}
.block.heading{border-color:#c20;font-weight:600}.block.table{border-color:#080;font-family:monospace;font-size:12px}
.block.contents,.block.note{border-color:#777;color:#555}.block.on{background:#fe9}
.chunk{margin:6px 0 0;color:#555;font-size:12px;border-top:1px dashed #999}.warning{color:#a40}
nav a{display:block;color:inherit;text-decoration:none}details{margin-bottom:10px}
"""
_SCRIPT = """
document.addEventListener('click',e=>{const n=e.target.closest('[data-block]');if(!n)return;
document.querySelectorAll('.on').forEach(x=>x.classList.remove('on'));
const all=document.querySelectorAll('[data-block="'+n.dataset.block+'"]');
all.forEach(x=>x.classList.add('on'));
const other=[...all].find(x=>x.className.includes('box')!==n.className.includes('box'));
if(other)other.scrollIntoView({block:'center',behavior:'smooth'});});
"""


def render_page(
    name: str, document: ParsedDocument, pages: Sequence[PageImage], chunks: Sequence[Chunk] | None
) -> str:
    """Pages with the boxes of their lines on the left, or the canonical text where there are none; outline,
    blocks and the beginnings of chunks on the right. A click on one side shows its like on the other."""
    left = "".join(_pages(document, pages)) if pages else f"<pre>{escape(document.text)}</pre>"
    right = "".join([_head(name, document), *_blocks(document, chunks or ())])
    return (
        f"<!doctype html><html lang='{document.language}'><meta charset='utf-8'><title>{escape(name)}</title>"
        f"<style>{_STYLE}</style><main>{left}</main><aside>{right}</aside><script>{_SCRIPT}</script></html>"
    )


def _pages(document: ParsedDocument, pages: Sequence[PageImage]) -> Iterator[str]:
    boxes: dict[int, list[str]] = defaultdict(list)
    for block_index, block, line in _lines_with_blocks(document):
        boxes[line.box.page].append(_box(block_index, block, line))
    for page in pages:
        image = f"<img src='data:image/png;base64,{page.png}' width='{page.width}' height='{page.height}'>"
        label = document.page_labels[page.page - 1] if document.page_labels else ""
        shown = f"{page.page} ({escape(label)})" if label and label != str(page.page) else str(page.page)
        if page.page in document.ocr_pages:
            shown += " OCR"
        yield f"<div class='page'>{image}<b>{shown}</b>{''.join(boxes[page.page])}</div>"


def _lines_with_blocks(document: ParsedDocument) -> Iterator[tuple[int, Block, Line]]:
    at = 0
    for line in document.lines:
        while document.blocks[at].end < line.end:
            at += 1
        yield at, document.blocks[at], line


def _box(index: int, block: Block, line: Line) -> str:
    box = line.box
    place = (
        f"left:{100 * box.x0:.2f}%;top:{100 * box.y0:.2f}%;width:{100 * (box.x1 - box.x0):.2f}%;"
        f"height:{100 * (box.y1 - box.y0):.2f}%"
    )
    return f"<div class='box {block.kind.value}' data-block='{index}' style='{place}'></div>"


def _head(name: str, document: ParsedDocument) -> str:
    warnings = "".join(f"<p class='warning'>{escape(warning)}</p>" for warning in document.warnings)
    outline = "".join(
        f"<a href='#s{section.index}' style='padding-left:{section.level - 1}em'>{escape(section.heading)}</a>"
        for section in document.sections[1:]
    )
    left_out = "".join(
        f"<p>{removal.reason.value}{f', p. {removal.page}' if removal.page else ''}: {escape(removal.text)}</p>"
        for removal in document.removed
    )
    return (
        f"<h1>{escape(document.title or name)}</h1>{warnings}"
        f"<details open><summary>{len(document.sections) - 1} sections</summary><nav>{outline}</nav></details>"
        f"<details><summary>{len(document.removed)} left out</summary>{left_out}</details>"
    )


def _blocks(document: ParsedDocument, chunks: Sequence[Chunk]) -> Iterator[str]:
    waiting = sorted(chunks, key=lambda chunk: chunk.start)
    for index, block in enumerate(document.blocks):
        while waiting and waiting[0].start < block.end:
            chunk = waiting.pop(0)
            pages = f", p. {chunk.page_start}-{chunk.page_end}" if chunk.page_start else ""
            recognised = ", OCR" if chunk.ocr else ""
            repeated = f", {chunk.overlap_chars} characters repeated" if chunk.overlap_chars else ""
            yield (
                f"<div class='chunk'>chunk {chunk.index}: {chunk.token_count} tokens{pages}{recognised}{repeated}"
                f" · {escape(chunk.header)}</div>"
            )
        anchor = f" id='s{block.section}'" if block.kind is BlockKind.HEADING else ""
        text = escape(document.text[block.start : block.end])
        yield f"<div class='block {block.kind.value}'{anchor} data-block='{index}'>{text}</div>"
