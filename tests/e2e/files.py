"""Files that are not what they should be, and one that is."""

from __future__ import annotations

import io
import zipfile

import docx
import pymupdf

GOOD = b"# Llaves\n\nLa llave de la alarma se guarda en el cajetin gris del almacen, junto al cuadro de luces.\n"


def pdf(*lines: str, password: str | None = None) -> bytes:
    """A PDF with a page for each line; `password` encrypts it."""
    with pymupdf.open() as document:
        for line in lines:
            document.new_page().insert_text((72, 100), line, fontsize=12)
        if password is None:
            return bytes(document.tobytes())
        return bytes(
            document.tobytes(encryption=pymupdf.mupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw=password)
        )


def scan() -> bytes:
    """A PDF whose one page is a picture."""
    with pymupdf.open() as document:
        picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80))
        picture.clear_with(128)
        page = document.new_page()
        page.insert_image(page.rect, pixmap=picture)
        return bytes(document.tobytes())


def pdf_without_pages() -> bytes:
    """A well-formed PDF whose tree of pages is empty."""
    objects = (b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>")
    body, offsets = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 3\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + table + b"trailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(body)


def word(text: str) -> bytes:
    """A Word document of one paragraph."""
    document = docx.Document()
    document.add_paragraph(text)
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def archive() -> bytes:
    """A ZIP file that is no Word document."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as zipped:
        zipped.writestr("notas.txt", "Esto no es un documento de Word.")
    return target.getvalue()
