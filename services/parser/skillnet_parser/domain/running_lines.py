"""Headers, footers and page numbers: lines that repeat at the same place of many pages.

A line is dropped for its repetition and its place together, never for its place alone, so that a title at
the top of page 1 and the first line of a page stay. From page to page it varies by one number only, which counts
with the pages: notes that are only worded alike differ in several figures.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from skillnet_common.documents import Removal, RemovalReason
from skillnet_parser.domain.layout import Fragment, PageLayout, Rect
from skillnet_parser.domain.running_prose import first_copies

_MARGIN = 0.12  # of the page's height
_MIN_PAGES = 4
_MIN_SHARE = 0.5
_MIN_PARITY_PAGES = 3
_SAME_PLACE = 0.012  # of the page's height
_MIN_DISTANCE = 0.4  # to the text, times the line's height
_MIN_DISTANCE_FEW = 0.8  # on two or three pages, where repetition says little
_MIN_DISTANCE_ALONE = 1.5
_CENTRED, _OUTER = 0.06, 0.2  # of the page's width
_MAX_CHANGES = 0.34  # of the steps from page to page: a chapter's number stays over several pages
_MIN_NEIGHBOURS = 4  # pages in a row under one chapter's running title
_TITLE_SIZE = 1.15  # times the text's
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<![^\W_])[ivxlc]+(?![^\W_])", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:p[áa]gina?|p[áa]g\.?|page|p\.|seite|pàgina|orria)\s*)?(?P<number>\d{1,4})"
    r"(?:\s*(?:/|de|of|von|sur)\s*(?P<total>\d{1,4}))?\W*",
    re.IGNORECASE,
)


def drop_running_lines(pages: Sequence[PageLayout]) -> tuple[list[PageLayout], list[Removal]]:
    """The pages without headers, footers and page numbers, and what was dropped."""
    running = _find_repeated(pages) | _find_page_numbers(pages)
    running -= first_copies(pages, running)
    dropped = [
        Removal(RemovalReason.RUNNING_LINE, number, pages[number - 1].fragments[index].text)
        for number, index in sorted(running)
    ]
    return [
        replace(
            page,
            fragments=tuple(
                fragment for index, fragment in enumerate(page.fragments) if (page.number, index) not in running
            ),
        )
        for page in pages
    ], dropped


_Place = tuple[int, int]  # page number, index of the fragment
_Candidate = tuple[int, int, float, Fragment]  # page number, index, height as a share of the page


def _candidates(pages: Iterable[PageLayout]) -> list[_Candidate]:
    found: list[_Candidate] = []
    for page in pages:
        for index, fragment in enumerate(page.fragments):
            height = fragment.rect.middle / page.height
            if height <= _MARGIN or height >= 1 - _MARGIN:
                found.append((page.number, index, height, fragment))
    return found


def _find_repeated(pages: Sequence[PageLayout]) -> set[_Place]:
    few = len(pages) < _MIN_PAGES
    if len(pages) < 2:
        return set()
    groups: dict[str, list[_Candidate]] = defaultdict(list)
    for candidate in _candidates(pages):
        groups[_mask(candidate[3].text)].append(candidate)
    size = _usual_size(pages)
    repeated: set[_Place] = set()
    for group in groups.values():
        for cluster in _cluster_by_height(group):
            numbers = {candidate[0] for candidate in cluster}
            repeats = len(numbers) == len(pages) if few else _repeats(numbers, len(pages))
            if repeats and (_is_the_same(cluster) or (_counts_pages(cluster) and not _are_titles(cluster, size))):
                repeated |= {(candidate[0], candidate[1]) for candidate in cluster}
    return _keep_rows_of_text(pages, repeated, _MIN_DISTANCE_FEW if few else _MIN_DISTANCE)


def _usual_size(pages: Sequence[PageLayout]) -> float:
    """What most characters are set in."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for fragment in page.fragments:
            sizes[fragment.style.size] += len(fragment.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_the_same(cluster: Sequence[_Candidate]) -> bool:
    return len({"".join(fragment.text.split()) for _, _, _, fragment in cluster}) == 1


def _are_titles(cluster: Sequence[_Candidate], size: float) -> bool:
    """Whether the lines are set larger than the text: `Tema 1`, `Tema 2`, one a page, are headings."""
    return min(fragment.style.size for _, _, _, fragment in cluster) >= _TITLE_SIZE * size


def _counts_pages(cluster: Sequence[_Candidate]) -> bool:
    """Whether the lines are the same but for a number that counts the pages, beside one that stays as long as a
    chapter."""
    lines = sorted((number, _figures(fragment.text)) for number, _, _, fragment in cluster)
    usual = Counter(len(figures) for _, figures in lines).most_common(1)[0][0]
    alike = [(number, figures) for number, figures in lines if len(figures) == usual]
    columns = [[(number, figures[at]) for number, figures in alike] for at in range(usual)]
    varying = [column for column in columns if len({figure for _, figure in column}) > 1]
    counting = [column for column in varying if _counts(column, len(cluster))]
    return len(counting) == 1 and all(_stays(column) for column in varying if column not in counting)


def _figures(text: str) -> list[int]:
    return [int(figure) for figure in _NUMBER.findall(text)]


def _counts(column: Sequence[tuple[int, int]], lines: int) -> bool:
    """Whether the figures (page, figure) follow the pages on at least half of the lines."""
    offsets = Counter(figure - number for number, figure in column)
    return max(offsets.values()) >= _MIN_SHARE * lines


def _stays(column: Sequence[tuple[int, int]]) -> bool:
    changes = sum(above != below for (_, above), (_, below) in pairwise(column))
    return changes <= _MAX_CHANGES * (len(column) - 1)


def _mask(text: str) -> str:
    """The text without what changes from page to page."""
    return _ROMAN.sub("#", _NUMBER.sub("#", "".join(text.split()).lower()))


def _cluster_by_height(group: Sequence[_Candidate]) -> list[list[_Candidate]]:
    clusters: list[list[_Candidate]] = []
    for candidate in sorted(group, key=lambda candidate: candidate[2]):
        if clusters and candidate[2] - clusters[-1][-1][2] <= _SAME_PLACE:
            clusters[-1].append(candidate)
        else:
            clusters.append([candidate])
    return clusters


def _repeats(numbers: set[int], page_count: int) -> bool:
    """On half of all pages; or of the even or the odd ones, for left and right pages differ; or on enough
    pages in a row, for a running title changes with the chapter."""
    if len(numbers) >= _MIN_SHARE * page_count:
        return True
    for parity in (0, 1):
        same = {number for number in numbers if number % 2 == parity}
        if len(same) >= max(_MIN_PARITY_PAGES, _MIN_SHARE * page_count / 2):
            return True
    return any(all(number + step in numbers for step in range(_MIN_NEIGHBOURS)) for number in numbers)


def _keep_rows_of_text(pages: Sequence[PageLayout], repeated: set[_Place], distance: float) -> set[_Place]:
    """A row goes whole or stays whole: a list number repeated beside text that changes is text. And it goes
    only where it stands apart from the text, by `distance` times its height."""
    running: set[_Place] = set()
    for page in pages:
        others = [
            fragment.rect
            for index, fragment in enumerate(page.fragments)
            if (page.number, index) not in repeated and fragment.rect.y0 <= page.height
        ]
        others += [table.rect for table in page.tables]
        for index, fragment in enumerate(page.fragments):
            if (page.number, index) in repeated and _stands_apart(fragment.rect, others, page.height, distance):
                running.add((page.number, index))
    return running


def _stands_apart(rect: Rect, others: Sequence[Rect], page_height: float, distance: float) -> bool:
    """Whether no text is beside it, nor close to it on the side of the page's middle."""
    for other in others:
        if _share_rows(rect, other):
            return False
        gap = other.y0 - rect.y1 if rect.middle < page_height / 2 else rect.y0 - other.y1
        if gap + rect.height >= 0 and gap < distance * rect.height and _overlap(rect, other):
            return False
    return True


def _overlap(one: Rect, other: Rect) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1


def _share_rows(one: Rect, other: Rect) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    return shared > 0.5 * min(one.height, other.height)


def _find_page_numbers(pages: Sequence[PageLayout]) -> set[_Place]:
    """Numbers alone in a margin that follow the pages: the number less the page's place is the same on at
    least half of the pages. On one page alone it must be that page's, and say so (`Página 1`, `1 de 3`) or
    stand well apart in the middle or at the outer edge."""
    offsets: dict[int, list[_Place]] = defaultdict(list)
    worded: set[_Place] = set()
    for number, index, _, fragment in _candidates(pages):
        match = _PAGE_NUMBER.fullmatch(fragment.text.strip())
        if match is None or not _stands_alone(pages[number - 1], index):
            continue
        offsets[int(match["number"]) - number].append((number, index))
        said = match["total"] or fragment.text.strip()[0].isalpha() or _is_apart(pages[number - 1], index)
        if int(match["number"]) == number and said:
            worded.add((number, index))
    for places in offsets.values():
        if len({number for number, _ in places}) >= max(2, _MIN_SHARE * len(pages)):
            worded |= set(places)
    return worded


def _is_apart(page: PageLayout, index: int) -> bool:
    """Whether a number stands in the middle of the page or at its side, two lines from the text."""
    rect = page.fragments[index].rect
    centre = (rect.x0 + rect.x1) / 2 / page.width
    if not (abs(centre - 0.5) <= _CENTRED or centre >= 1 - _OUTER):
        return False
    others = [other.rect for at, other in enumerate(page.fragments) if at != index]
    return bool(others) and _stands_apart(rect, others, page.height, _MIN_DISTANCE_ALONE)


def _stands_alone(page: PageLayout, index: int) -> bool:
    """Whether nothing else stands on the row, and nothing further out on the page."""
    fragment = page.fragments[index]
    others = [other for at, other in enumerate(page.fragments) if at != index]
    if any(_share_rows(fragment.rect, other.rect) for other in others):
        return False
    if fragment.rect.middle < page.height / 2:
        return not any(other.rect.middle < fragment.rect.middle for other in others)
    return not any(other.rect.middle > fragment.rect.middle for other in others)
