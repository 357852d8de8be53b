"""Footnotes and endnotes of a Word document, counted in the order in which its text refers to them."""

from __future__ import annotations

from lxml import etree

from skillnet_parser.formats.docx_package import DocxPackage, W


class Notes:
    """Gives each note its number, and each once."""

    def __init__(self, package: DocxPackage) -> None:
        self._notes = {
            "footnoteReference": _notes_by_id(package.footnotes, "footnote"),
            "endnoteReference": _notes_by_id(package.endnotes, "endnote"),
        }
        self._numbers: dict[tuple[str, str], int] = {}

    def label(self, reference: etree._Element) -> str:
        """What stands in the text for a reference."""
        number = self._numbers.setdefault(_key(reference), len(self._numbers) + 1)
        return f" ({number})"

    def take(self, reference: etree._Element) -> tuple[int, etree._Element] | None:
        """The number of a note that has a label, and its element; None where it was taken before, or is none."""
        kind, identifier = key = _key(reference)
        note = self._notes[kind].pop(identifier, None)
        return (self._numbers[key], note) if note is not None else None


def _key(reference: etree._Element) -> tuple[str, str]:
    return etree.QName(reference).localname, reference.get(f"{W}id", "")


def _notes_by_id(root: etree._Element | None, name: str) -> dict[str, etree._Element]:
    """The notes with text; those that hold the rule above the notes have a type."""
    if root is None:
        return {}
    return {
        note.get(f"{W}id", ""): note
        for note in root.iterchildren(f"{W}{name}")
        if note.get(f"{W}type", "normal") == "normal"
    }
