"""`skillnet usage`: what the organisation has used, and what it stores."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime
from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, counted, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.usage import Usage, UsageCount, UsageKind, UsageTotal

_TITLES = {
    UsageKind.SEARCH: "Search",
    UsageKind.CONTEXT: "Context",
    UsageKind.GROUND: "Ground",
    UsageKind.ASK: "Ask",
    UsageKind.DOCUMENTS_UPLOADED: "Uploads",
    UsageKind.BYTES_UPLOADED: "Bytes",
    UsageKind.PAGES_PARSED: "Pages",
    UsageKind.EMBEDDING_TOKENS: "Embedded",
    UsageKind.LLM_PROMPT_TOKENS: "LLM in",
    UsageKind.LLM_COMPLETION_TOKENS: "LLM out",
}

_DAY = ["%Y-%m-%d"]


@reports_errors
def usage(
    data: DataFolder = None,
    first: Annotated[
        datetime | None, typer.Option("--from", formats=_DAY, help="First day, in UTC; 30 days by default.")
    ] = None,
    last: Annotated[
        datetime | None, typer.Option("--to", formats=_DAY, help="Last day, included; today by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show questions, uploads, pages and tokens by day, and what is stored now."""
    with find_target(data).client() as client:
        found = client.usage(first=_day(first), last=_day(last))
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Usage) -> None:
    by_day: dict[date, dict[UsageKind, UsageCount]] = defaultdict(dict)
    for count in found.days:
        by_day[count.day][count.kind] = count
    rows = [[day, *_cells(counts)] for day, counts in by_day.items()]
    totals = ["total", *_cells({total.kind: total for total in found.totals})]
    print_table(["Day", *_TITLES.values()], [*rows, totals])
    stored = found.storage
    console.print(
        f"\nStored now: {counted(stored.documents, 'document')}, {counted(stored.chunks, 'chunk')}, "
        f"{stored.bytes} bytes."
    )
    if any(total.estimated for total in found.totals):
        console.print("~: partly estimated, since the endpoint did not say.")


def _cells(counts: dict[UsageKind, UsageCount] | dict[UsageKind, UsageTotal]) -> list[str]:
    return [_cell(counts.get(kind)) for kind in _TITLES]


def _cell(count: UsageCount | UsageTotal | None) -> str:
    if count is None:
        return ""
    return f"{'~' if count.estimated else ''}{count.amount}"


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()
