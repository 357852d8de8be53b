"""The pages that people read, and the parts of them that can be checked."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages() -> list[Path]:
    """Every Markdown page about the project; the example company's own documents are none."""
    named = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")]
    return [page for page in (*named, *sorted((ROOT / "docs").rglob("*.md"))) if page.exists()]


def links(page: Path) -> list[str]:
    """What the page links to inside the project."""
    targets = _LINK.findall(_without_fences(page.read_text(encoding="utf-8")))
    return [target.partition("#")[0] for target in targets if "://" not in target and not target.startswith("#")]


def shell_blocks(page: Path) -> list[str]:
    """The page's blocks of shell commands, in order."""
    return [body for language, body in _FENCE.findall(page.read_text(encoding="utf-8")) if language == "sh"]


def code_spans(page: Path) -> list[str]:
    """What stands between backticks, outside of blocks."""
    return _CODE_SPAN.findall(_without_fences(page.read_text(encoding="utf-8")))


def commands(page: Path, program: str) -> list[list[str]]:
    """The words after the program's name, of every place where the page names a command of it."""
    found = []
    lines = [line.partition(" #")[0] for block in shell_blocks(page) for line in block.splitlines()]
    for text in (*lines, *code_spans(page)):
        match = re.match(rf"(?:\S*/)?{program}\s+(.*)", text.strip())
        if match:
            found.append(match.group(1).split())
    return found


def _without_fences(text: str) -> str:
    return _FENCE.sub("", text)
