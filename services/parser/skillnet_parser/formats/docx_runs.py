"""The text of a paragraph: what a reader sees with all changes accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from skillnet_parser.formats.docx_frames import FRAMES
from skillnet_parser.formats.docx_package import W
from skillnet_parser.formats.docx_styles import Styles, is_on
from skillnet_parser.formats.docx_tables import goes_on

_MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_STRICT_MATH = "{http://purl.oclc.org/ooxml/officeDocument/math}"
_WRAPPERS = frozenset(
    f"{W}{name}"
    for name in (
        "hyperlink",
        "smartTag",
        "ins",
        "moveTo",
        "fldSimple",
        "bdo",
        "dir",
        "customXml",
        "sdt",
        "sdtContent",
    )
)
DELETED = frozenset(f"{W}{name}" for name in ("del", "moveFrom"))
_CHARACTERS = {"t": "", "tab": "\t", "ptab": "\t", "cr": "\n", "br": "\n", "noBreakHyphen": "-"}
TEXT_BOX = f"{W}txbxContent"

NoteLabel = Callable[[etree._Element], str]


@dataclass(slots=True)
class RunText:
    """A paragraph's text and what hangs on it: text boxes, charts and diagrams (the elements that name them) in
    `boxes`, notes (their reference elements), and whether all of it is bold."""

    parts: list[str] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    notes: list[etree._Element] = field(default_factory=list)
    bold_chars: int = 0
    chars: int = 0
    hidden: list[str] = field(default_factory=list)
    changed: bool = False

    @property
    def text(self) -> str:
        """All parts together."""
        return "".join(self.parts)


def read_runs(paragraph: etree._Element, styles: Styles, note_label: NoteLabel) -> RunText:
    """Reads a `w:p`. `note_label` gives what stands in the text for a reference to a note."""
    result = RunText()
    _read_children(paragraph, result, styles, note_label)
    return result


def _read_children(element: etree._Element, result: RunText, styles: Styles, note_label: NoteLabel) -> None:
    for child in element.iterchildren(tag=etree.Element):
        if child.tag == f"{W}r":
            _read_run(child, result, styles, note_label)
        elif child.tag in DELETED:
            result.changed = True
        elif child.tag in _WRAPPERS:
            result.changed = result.changed or child.tag in (f"{W}ins", f"{W}moveTo")
            _read_children(child, result, styles, note_label)
        elif child.tag == f"{_MARKUP}AlternateContent":
            for chosen in choose_alternative(child):
                _read_children(chosen, result, styles, note_label)
        elif child.tag.startswith((_MATH, _STRICT_MATH)):
            result.parts += [math.text or "" for math in child.iter(f"{_MATH}t", f"{_STRICT_MATH}t")]


def _read_run(run: etree._Element, result: RunText, styles: Styles, note_label: NoteLabel) -> None:
    if styles.is_hidden(run):
        result.hidden += [text.text for text in run.iter(f"{W}t") if text.text]
        return
    bold = is_on(run.find(f"{W}rPr/{W}b"))
    for child in run.iterchildren(tag=etree.Element):
        text = _text_of(child, result, note_label)
        result.parts.append(text)
        letters = sum(char.isalnum() for char in text)
        result.chars += letters
        result.bold_chars += letters if bold else 0


def _text_of(child: etree._Element, result: RunText, note_label: NoteLabel) -> str:
    name = child.tag.removeprefix(W)
    if name in _CHARACTERS:
        return _CHARACTERS[name] or child.text or ""
    match name:
        case "sym":
            return _symbol(child)
        case "footnoteReference" | "endnoteReference":
            result.notes.append(child)
            return note_label(child)
        case "ruby":  # the base text, not the small print above it
            return "".join(text.text or "" for text in child.iterfind(f".//{W}rubyBase//{W}t"))
    result.boxes += _text_boxes(child)
    return ""


def _symbol(element: etree._Element) -> str:
    try:
        return chr(int(element.get(f"{W}char", ""), 16))
    except (ValueError, OverflowError):
        return ""


def _text_boxes(element: etree._Element) -> Iterator[etree._Element]:
    """The text boxes, charts and diagrams of a drawing, each once: a file gives the same box in a new form and an
    old one."""
    if element.tag == TEXT_BOX or element.tag in FRAMES:
        yield element
        return
    children = (
        choose_alternative(element)
        if element.tag == f"{_MARKUP}AlternateContent"
        else element.iterchildren(tag=etree.Element)
    )
    for child in children:
        yield from _text_boxes(child)


def choose_alternative(element: etree._Element) -> list[etree._Element]:
    """The first choice of an `mc:AlternateContent`, the fallback where there is none."""
    choices = [*element.iterchildren(f"{_MARKUP}Choice"), *element.iterchildren(f"{_MARKUP}Fallback")]
    return choices[:1]


def is_alternative(element: etree._Element) -> bool:
    """Whether the element is an `mc:AlternateContent`."""
    return bool(element.tag == f"{_MARKUP}AlternateContent")


def count_present(root: etree._Element, styles: Styles) -> int:
    """Letters and digits of the body's text runs that a reader sees: no deletions, nothing hidden, of two forms
    of a drawing one, of a ruby its base, of merged cells the first."""
    count = 0
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag in DELETED or element.tag == f"{W}rt" or (element.tag == f"{W}tc" and goes_on(element)):
            continue
        if element.tag == f"{W}t":
            count += sum(char.isalnum() for char in element.text or "")
        elif element.tag == f"{W}r" and styles.is_hidden(element):
            continue
        elif is_alternative(element):
            waiting += choose_alternative(element)
        elif element.tag == f"{W}tr" and element.find(f"{W}trPr/{W}del") is not None:
            continue
        else:
            waiting += element.iterchildren(tag=etree.Element)
    return count
