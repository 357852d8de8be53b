"""`skillnet search`: the passages that answer best."""

from __future__ import annotations

from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, place, print_json
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_common.contracts.retrieval import Filters, Fusion, SearchRequest, Strategy

_SNIPPET = 400


@reports_errors
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    data: DataFolder = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100)] = 5,
    strategy: Annotated[Strategy, typer.Option()] = Strategy.AUTO,
    fusion: Annotated[Fusion, typer.Option()] = Fusion.COVERAGE,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="0: keyword only, 1: semantic only.")] = 0.5,
    document: Annotated[list[str] | None, typer.Option(help="Search only this document; repeatable.")] = None,
    course: Annotated[str | None, typer.Option(help="Search only this course.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find passages."""
    with find_target(data).client() as client:
        ids = [find_document(client, name).document_id for name in document or []]
        request = SearchRequest(
            query=query,
            limit=limit,
            strategy=strategy,
            fusion=fusion,
            alpha=alpha,
            filters=Filters(document_ids=ids or None, course_id=course),
        )
        reply = client.search(request)
    if as_json:
        print_json(reply)
        return
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
