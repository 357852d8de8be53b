"""Hashes that tell what changed: of a chunk's body, of the exact model input, and of a section's text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from skillnet_common.documents import ParsedDocument

Path = tuple[str, ...]


def content_hash(body: str) -> bytes:
    """SHA-256 of a chunk's body, 32 bytes."""
    return _sha256(body)


def embed_hash(model_input: str) -> bytes:
    """SHA-256 of the exact string the model reads, 32 bytes: equal ones have equal vectors."""
    return _sha256(model_input)


def section_digest(text: str) -> bytes:
    """SHA-256 of a section's text, 32 bytes; runs of white space count as one space, so that a mere
    change of layout is no change of content."""
    return _sha256(" ".join(text.split()))


def section_digests(parsed: ParsedDocument) -> dict[Path, bytes]:
    """Path of each section that has text -> digest of its own text, in reading order.

    Sections of equal path count as one.
    """
    texts: dict[Path, list[str]] = {}
    for block in parsed.blocks:
        path = parsed.sections[block.section].path
        texts.setdefault(path, []).append(parsed.text[block.start : block.end])
    return {path: section_digest("\n".join(pieces)) for path, pieces in texts.items()}


@dataclass(frozen=True, slots=True)
class SectionDiff:
    """Paths of sections, each tuple in the order of the mapping it comes from."""

    added: tuple[Path, ...]
    changed: tuple[Path, ...]
    removed: tuple[Path, ...]


def diff_sections(old: Mapping[Path, bytes], new: Mapping[Path, bytes]) -> SectionDiff:
    """What differs between two versions' sections."""
    return SectionDiff(
        added=tuple(path for path in new if path not in old),
        changed=tuple(path for path, digest in new.items() if path in old and old[path] != digest),
        removed=tuple(path for path in old if path not in new),
    )


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
