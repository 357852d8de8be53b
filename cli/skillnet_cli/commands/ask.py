"""`skillnet ask`: an answer with its sources, in a terminal as it is written."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.filter_options import AllowGeneral, Earlier, Finding, SearchNarrowing, TokenBudget
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import AsJson, console, escape, ground_in_words, place, print_json, print_reading
from skillnet_cli.target import DataFolder, find_target
from skillnet_client import SkillnetApiError, SkillnetClient
from skillnet_common.contracts.answers import AskEventKind, AskReply, AskRequest, Expansion, Turn
from skillnet_common.errors import ErrorCode


@reports_errors
@takes_groups
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    narrowing: SearchNarrowing,
    finding: Finding,
    data: DataFolder = None,
    earlier: Earlier = None,
    token_budget: TokenBudget = 4_000,
    allow_general: AllowGeneral = True,
    answer_language: Annotated[
        str | None, typer.Option(help="Of an LLM's answer, such as es or en.", show_default="the question's")
    ] = None,
    expansion: Annotated[
        Expansion, typer.Option(help="What an LLM writes to be searched beside the question.")
    ] = Expansion.NONE,
    stream: Annotated[
        bool | None,
        typer.Option("--stream/--no-stream", help="Show the answer as it is written.", show_default="in a terminal"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the documents."""
    with find_target(data).client() as client:
        request = AskRequest(
            question=question,
            history=[Turn(question=asked) for asked in earlier or ()],
            filters=narrowing.filters(client),
            token_budget=token_budget,
            allow_general=allow_general,
            language=answer_language,
            expansion=expansion,
            **asdict(finding),
        )
        if as_json:
            print_json(client.ask(request))
        elif sys.stdout.isatty() if stream is None else stream:
            print_ground(_follow(client, request))
        else:
            print_answer(client.ask(request))


def print_answer(reply: AskReply) -> None:
    """The answer, the ground it stands on, and the sources it cites."""
    console.print(escape(reply.answer))
    print_ground(reply)


def print_ground(reply: AskReply) -> None:
    """The sources an answer cites, and the ground it stands on."""
    for source in reply.sources:
        if source.number in reply.citations:
            console.print(f"  [dim]\\[Fuente {source.number}] {escape(place(source))}[/]")
    print_reading(reply)
    console.print(f"  [dim]Stands on {ground_in_words(reply.rung)}: {escape(reply.reason)}[/]")
    for warning in reply.warnings:
        console.print(f"  [yellow]{escape(warning)}[/]")


def _follow(client: SkillnetClient, request: AskRequest) -> AskReply:
    """Shows the pieces as they come, and the checked answer where it is not what they said."""
    said = ""
    for event in client.ask_streamed(request):
        if event.kind is AskEventKind.DELTA:
            said += event.text
            console.print(event.text, end="", markup=False, soft_wrap=True)
        elif event.kind is AskEventKind.DONE and event.reply is not None:
            console.print()
            if event.reply.answer != said:
                console.print(f"\n[dim]checked:[/] {escape(event.reply.answer)}")
            return event.reply
    raise SkillnetApiError(ErrorCode.UNAVAILABLE, None, "The answer broke off before its end.")
