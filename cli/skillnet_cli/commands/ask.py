"""`skillnet ask`: an answer with its sources."""

from __future__ import annotations

from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, place, print_json
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_common.contracts.answers import AskReply, AskRequest
from skillnet_common.contracts.retrieval import Filters


@reports_errors
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    data: DataFolder = None,
    document: Annotated[list[str] | None, typer.Option(help="Ask only this document; repeatable.")] = None,
    course: Annotated[str | None, typer.Option(help="Ask only this course.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the documents."""
    with find_target(data).client() as client:
        ids = [find_document(client, name).document_id for name in document or []]
        reply = client.ask(AskRequest(question=question, filters=Filters(document_ids=ids or None, course_id=course)))
    if as_json:
        print_json(reply)
    else:
        print_answer(reply)


def print_answer(reply: AskReply) -> None:
    """The answer, the ground it stands on, and the sources it cites."""
    console.print(escape(reply.answer))
    for source in reply.sources:
        if source.number in reply.citations:
            console.print(f"  [dim]\\[Fuente {source.number}] {escape(place(source))}[/]")
    console.print(f"  [dim]{reply.rung}: {escape(reply.reason)}[/]")
    for warning in reply.warnings:
        console.print(f"  [yellow]{escape(warning)}[/]")
