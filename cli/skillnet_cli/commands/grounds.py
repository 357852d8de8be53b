"""`skillnet context | ground`: what an LLM would be given, and on what an answer can stand."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.filter_options import AllowGeneral, Encoding, Finding, SearchNarrowing, TokenBudget, Wording
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import (
    AsJson,
    console,
    counted,
    escape,
    ground_in_words,
    place,
    print_json,
    print_reading,
    print_table,
)
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.retrieval import ContextReply, ContextRequest, Evidence, GroundRequest, TokenEncoding

Query = Annotated[str, typer.Argument(help="What to look for.")]


@reports_errors
@takes_groups
def context(
    query: Query,
    narrowing: SearchNarrowing,
    finding: Finding,
    wording: Wording,
    data: DataFolder = None,
    token_budget: TokenBudget = 4_000,
    token_encoding: Encoding = TokenEncoding.O200K,
    as_json: AsJson = False,
) -> None:
    """Show passages as a tagged block of context for an LLM, and its sources."""
    with find_target(data).client() as client:
        reply = client.context(
            ContextRequest(
                query=query,
                filters=narrowing.filters(client),
                token_budget=token_budget,
                token_encoding=token_encoding,
                **wording.fields,
                **asdict(finding),
            )
        )
    if as_json:
        print_json(reply)
        return
    console.print(escape(reply.context), soft_wrap=True)
    _print_sources(reply)


@reports_errors
@takes_groups
def ground(
    query: Query,
    narrowing: SearchNarrowing,
    finding: Finding,
    wording: Wording,
    data: DataFolder = None,
    token_budget: TokenBudget = 4_000,
    token_encoding: Encoding = TokenEncoding.O200K,
    allow_general: AllowGeneral = True,
    allow_document: Annotated[
        bool,
        typer.Option(
            "--whole-document/--no-document",
            help="Whether a small document may stand whole where no passage answers.",
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show on what an answer can stand, why, and its sources."""
    with find_target(data).client() as client:
        reply = client.ground(
            GroundRequest(
                query=query,
                filters=narrowing.filters(client),
                token_budget=token_budget,
                token_encoding=token_encoding,
                allow_general=allow_general,
                allow_document=allow_document,
                **wording.fields,
                **asdict(finding),
            )
        )
    if as_json:
        print_json(reply)
        return
    print_table(["", ""], [("ground", ground_in_words(reply.rung)), ("why", reply.reason), *_figures(reply.evidence)])
    _print_sources(reply)


def _figures(evidence: Evidence) -> list[tuple[str, str]]:
    figures = [
        ("top similarity", evidence.top_similarity),
        ("above the median", evidence.similarity_margin),
        ("terms covered", evidence.term_coverage),
    ]
    rows = [(name, f"{figure:.3f}") for name, figure in figures if figure is not None]
    return [*rows, ("terms missing", ", ".join(evidence.missing_terms))] if evidence.missing_terms else rows


def _print_sources(reply: ContextReply) -> None:
    console.print()
    print_reading(reply)
    print_table(
        ["Source", "Where", "Score"],
        [(one.number, place(one), "" if one.score is None else f"{one.score:.3f}") for one in reply.sources],
    )
    left_out = f", {counted(reply.dropped, 'passage')} left out" if reply.dropped else ""
    console.print(f"{reply.token_count} of {reply.token_budget} tokens{left_out}")
    for warning in reply.warnings:
        console.print(f"[yellow]{escape(warning)}[/]")
