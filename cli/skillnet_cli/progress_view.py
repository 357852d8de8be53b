"""How far an ingest is, as text. Pure: what is shown follows from what the gateway said, and from nothing else.

The bar counts a document in full only once its version has ended, and by the stages that lie behind it until then;
it never runs backwards, though a version may (one that is replayed), and shows 100 % only when all have ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from skillnet_common.contracts.documents import DocumentSummary, VersionState

_STAGES = ("parse", "chunk", "embed")
_BEFORE = {"parse": 0.0, "chunk": 0.1, "embed": 0.2}
_EMBEDDING = 0.75
"""What the batches of a document count for; the last twentieth is its going live."""
_BAR = 24


@dataclass(frozen=True, slots=True)
class Tally:
    """What the documents of an ingest have come to. `stages`: how many are in each.

    `batches_left` are of all together; those of documents that are live are no longer known: a total would shrink.

    `ahead`: the least that waits ahead of one of which no piece is out; None where none waits.
    """

    total: int
    live: int
    failed: int
    gone: int
    stages: Mapping[str, int]
    batches_left: int
    waiting: int
    ahead: int | None
    fraction: float

    @property
    def ended(self) -> int:
        """How many nothing more happens to."""
        return self.live + self.failed + self.gone


def tally(documents: Sequence[DocumentSummary], total: int) -> Tally:
    """Counts; of `total` documents waited for, those not among `documents` were deleted meanwhile."""
    settled = [document for document in documents if document.is_settled]
    failed = sum(document.newest_state in {VersionState.FAILED, VersionState.CANCELLED} for document in settled)
    under_way = [document.progress for document in documents if document.progress is not None]
    places = [one.waiting_ahead for one in under_way if one.waiting_ahead]
    gone = total - len(documents)
    done = len(settled) + gone + sum(share(document) for document in documents if not document.is_settled)
    return Tally(
        total=total,
        live=len(settled) - failed,
        failed=failed,
        gone=gone,
        stages=Counter(one.stage for one in under_way),
        batches_left=sum(one.batches_total - one.batches_done for one in under_way),
        waiting=len(places),
        ahead=min(places, default=None),
        fraction=1.0 if total == 0 else done / total,
    )


def share(document: DocumentSummary) -> float:
    """How much of a document under way is done, 0 to below 1."""
    progress = document.progress
    if progress is None:
        return 0.0
    batches = progress.batches_done / progress.batches_total if progress.batches_total else 0.0
    return _BEFORE.get(progress.stage, 0.0) + (_EMBEDDING * batches if progress.stage == "embed" else 0.0)


def percent(now: Tally, shown: int) -> int:
    """What the bar shows after `shown`: whole percents, never fewer than before, 100 only at the end."""
    if now.ended == now.total:
        return 100
    return max(shown, min(int(now.fraction * 100), 99))


def summary(now: Tally) -> str:
    """`3 of 12 live, 1 failed; parse 2, embed 4 (28 batches to go); 2 wait, about 12 pieces ahead of the next`."""
    ended = f"{now.live} of {now.total} live"
    if now.failed:
        ended += f", {now.failed} failed"
    if now.gone:
        ended += f", {now.gone} deleted"
    parts = [ended]
    if now.stages:
        parts.append(", ".join(_stage(now, stage) for stage in _STAGES if now.stages.get(stage)))
    if now.ahead is not None:
        parts.append(f"{now.waiting} wait, about {_pieces(now.ahead)} ahead of the next")
    return "; ".join(parts)


def lines(
    documents: Sequence[DocumentSummary], names: Mapping[UUID, str], now: Tally, shown: int, *, rows: int, width: int
) -> list[str]:
    """The bar, the summary, and at most `rows` documents under way, furthest first; no line is wider than `width`."""
    filled = _BAR * shown // 100
    under_way = sorted(
        (document for document in documents if document.progress is not None),
        key=lambda document: (-share(document), _ahead(document), names.get(document.document_id, document.title)),
    )
    text = [f"Reading [{'=' * filled}{' ' * (_BAR - filled)}] {shown:3d} %", summary(now)]
    text += [
        f"  {_state(document)}  {names.get(document.document_id, document.title)}" for document in under_way[:rows]
    ]
    if len(under_way) > rows:
        text.append(f"  … and {len(under_way) - rows} more under way")
    return [line if len(line) <= width else f"{line[: width - 1]}…" for line in text]


def _stage(now: Tally, stage: str) -> str:
    count = f"{stage} {now.stages[stage]}"
    left = f" ({now.batches_left} batch{'' if now.batches_left == 1 else 'es'} to go)"
    return count + (left if stage == "embed" and now.batches_left else "")


def _state(document: DocumentSummary) -> str:
    """A column of fixed width: the stage, and its batches or what waits ahead."""
    progress = document.progress
    if progress is None:
        return ""
    more = f"{progress.batches_done}/{progress.batches_total}" if progress.batches_total else ""
    if progress.waiting_ahead:
        more = f"{more} {progress.waiting_ahead} ahead".strip()
    elif progress.waiting_ahead is None:
        more = f"{more} to be tried again".strip()
    return f"{progress.stage:<5} {more:<20}"


def _ahead(document: DocumentSummary) -> int:
    progress = document.progress
    return 0 if progress is None or progress.waiting_ahead is None else progress.waiting_ahead


def _pieces(count: int) -> str:
    return f"{count} piece{'' if count == 1 else 's'}"
