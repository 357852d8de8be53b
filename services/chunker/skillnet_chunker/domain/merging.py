"""Joins what is too small to stand alone: passages of sibling sections, and headings without text."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from skillnet_chunker.domain.header import Header
from skillnet_chunker.domain.passages import Passage, Workbench
from skillnet_chunker.domain.runs import Run
from skillnet_chunker.domain.splitting import split

_LABEL_SHARE = 4  # a text below this part of the minimum says nothing alone: "(Repealed)", a title's second line


def merge_small(passages: list[Passage], section: int, header: Header, bench: Workbench) -> list[Passage]:
    """Neighbours of which one is below the minimum, merged under their parent `section` where they fit.

    Small ones join each other first, so that a passage of good size keeps the header of its own section.
    """
    together: list[Passage] = []
    for passage in passages:
        both_small = together and _small(together[-1], bench) and _small(passage, bench)
        merged = _merged(together[-1], passage, section, header, bench) if both_small else None
        if merged:
            together[-1] = merged
        else:
            together.append(passage)
    return _join_remaining(together, section, header, bench)


def _join_remaining(passages: list[Passage], section: int, header: Header, bench: Workbench) -> list[Passage]:
    """Each passage still small joins the smaller of its neighbours, else the other; a label what follows."""
    done: list[Passage] = []
    waiting = passages[::-1]
    while waiting:
        passage = waiting.pop()
        if _small(passage, bench):
            before = _merged(done[-1], passage, section, header, bench) if done else None
            after = _merged(passage, waiting[-1], section, header, bench) if waiting else None
            if after and (before is None or _is_label(passage, bench) or after.tokens < before.tokens):
                waiting[-1] = after
                continue
            if before:
                done[-1] = before
                continue
        done.append(passage)
    return done


def attach_heading(
    run: Run, passages: list[Passage], section: int, header: Header, above: Header, bench: Workbench
) -> list[Passage]:
    """Finds a place for a run that is only headings, so that it can be found.

    It is carried by the header of what follows, else becomes part of its body, else, standing over no
    table of contents, a passage of its own under the header of the section above.
    """
    index = bisect_left(passages, bench.blocks[run.last].end, key=lambda passage: passage.start)
    following = passages[index] if index < len(passages) else None
    adjacent = following is not None and following.opening and following.first_block == run.last + 1
    if following and _carried(run, following.header, bench):
        passages[index] = (
            replace(following, first_block=run.first)
            if adjacent
            else replace(following, opening=False, whole=False)  # it has to keep the header that shows them
        )
        return passages
    if following and adjacent:
        joined = _spoken_for(section, header, run.first, following, bench)
        if joined:
            passages[index] = joined
            return passages
    if not run.before_contents:
        alone = split(run, bench, above)
        passages[index:index] = [replace(passage, headings_only=True) for passage in alone]
    return passages


def _carried(run: Run, header: Header, bench: Workbench) -> bool:
    return all(header.shows(bench.block_text(index)) for index in range(run.first, run.last + 1))


def _small(passage: Passage, bench: Workbench) -> bool:
    return passage.body_tokens < bench.options.minimum


def _is_label(passage: Passage, bench: Workbench) -> bool:
    return passage.headings_only or passage.body_tokens < bench.options.minimum // _LABEL_SHARE


def _merged(first: Passage, second: Passage, section: int, header: Header, bench: Workbench) -> Passage | None:
    """Both as one passage; None where they do not belong together or do not fit.

    Siblings merge whole, under their parent. What only leads to the second, a lone heading, a mere label or
    the parent's own words, is put before it under the second's header, whose path is the more exact.
    """
    if not second.opening or first.last_block + 1 != second.first_block:
        return None
    own_words = bench.blocks[first.last_block].section == section
    leads = own_words or (first.whole and (first.headings_only or (not second.whole and _is_label(first, bench))))
    if not leads and not (first.whole and second.whole):
        return None
    if leads:
        section, header = second.section, second.header
    if not first.opening and not first.header.shown <= header.shown:
        return None
    start, repeated = first.start, first.repeated
    if first.opening:
        start = bench.opening_start(header, first.first_block, second.last_block)
    tokens = bench.measure(header, start, second.end, repeated)
    if tokens > bench.options.window:
        return None
    return Passage(
        section=section,
        header=header,
        first_block=first.first_block,
        last_block=second.last_block,
        start=start,
        end=second.end,
        opening=first.opening,
        whole=second.whole,
        tokens=tokens,
        repeated=repeated,
        headings_only=first.headings_only and second.headings_only,
    )


def _spoken_for(section: int, header: Header, first_block: int, passage: Passage, bench: Workbench) -> Passage | None:
    """The passage taken over by a section above whose headings begin at `first_block`, if it still fits."""
    start = bench.opening_start(header, first_block, passage.last_block)
    tokens = bench.measure(header, start, passage.end)
    if tokens > bench.options.window:
        return None
    return replace(passage, section=section, header=header, first_block=first_block, start=start, tokens=tokens)
