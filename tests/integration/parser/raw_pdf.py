"""PDFs written object by object, for what PyMuPDF would not write."""

from __future__ import annotations

from collections.abc import Sequence

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"


def stream(data: bytes) -> bytes:
    """A stream object."""
    return b"<</Length %d>>\nstream\n%s\nendstream" % (len(data), data)


def write_pdf(objects: Sequence[bytes], *, table: bool = True) -> bytes:
    """A file of these objects, numbered from 1, the first its catalog; `table`: with a true table of objects."""
    data = b"%PDF-1.7\n"
    places = []
    for number, item in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    start = len(data)
    if table:
        rows = b"".join(b"%010d 00000 n \n" % place for place in places)
        data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows)
    return data + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


def one_page(
    content: bytes, *more: bytes, font: bytes = FONT, catalog: bytes = b"", page: bytes = PAGE
) -> list[bytes]:
    """The objects of a file with one page; `more` are numbered from 6."""
    return [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page,
        stream(content),
        font,
        *more,
    ]


def print_lines(lines: Sequence[bytes], *, size: int = 11) -> bytes:
    """The content of a page with these lines, each as its bytes in the font."""
    shown = b"".join(b"<%s> Tj T* " % line.hex().encode() for line in lines)
    return b"BT /F %d Tf 14 TL 72 760 Td %sET" % (size, shown)


def unicode_map(codes: dict[int, int]) -> bytes:
    """A ToUnicode map of one-byte codes, as a stream; characters past U+FFFF are not for it."""
    pairs = b"".join(b"<%02x> <%04x>\n" % pair for pair in codes.items())
    return stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <ff> endcodespacerange\n"
        b"%d beginbfchar\n%sendbfchar\nendcmap end end" % (len(codes), pairs)
    )
