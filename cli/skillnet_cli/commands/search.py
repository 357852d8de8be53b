"""`skillnet search`: the passages that answer best."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.filter_options import Finding, SearchNarrowing, Wording
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import AsJson, console, escape, place, print_json, print_reading
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.retrieval import SearchRequest

_SNIPPET = 400


@reports_errors
@takes_groups
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    narrowing: SearchNarrowing,
    finding: Finding,
    wording: Wording,
    data: DataFolder = None,
    offset: Annotated[int, typer.Option(min=0, help="Passages to leave out: those of the pages before.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Find passages."""
    with find_target(data).client() as client:
        request = SearchRequest(
            query=query, offset=offset, filters=narrowing.filters(client), **wording.fields, **asdict(finding)
        )
        reply = client.search(request)
    if as_json:
        print_json(reply)
        return
    print_reading(reply)
    for warning in reply.warnings:
        console.print(f"[yellow]{escape(warning)}[/]")
    for number, passage in enumerate(reply.passages, 1):
        score = "" if passage.scores.fused is None else f"  ({passage.scores.fused:.3f})"
        console.print(f"[bold]{number}. {escape(place(passage))}[/]{score}")
        text = " ".join(passage.text.split())
        console.print(escape(text if len(text) <= _SNIPPET else f"{text[:_SNIPPET]} …"))
        console.print()
    if not reply.passages:
        console.print("Nothing found.")
