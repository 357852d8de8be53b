"""`skillnet reprocess`: documents that an older parser, chunker or size of chunks made are redone."""

from __future__ import annotations

from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, print_json
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_client import SkillnetClient
from skillnet_common.contracts.reprocessing import ReprocessedDocument, ReprocessReply, ReprocessRequest
from skillnet_common.contracts.work import Stage


@reports_errors
def reprocess(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID_OR_KEY]...", help="Only these; without any, every document.")
    ] = None,
    data: DataFolder = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many there are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read or cut anew what an older parser, chunker or size of chunks made.

    Each becomes a new version and serves as it is until then. Where only the chunker or its sizes changed, no file is
    read; texts that were embedded before are not embedded again.
    """
    with find_target(data).client() as client:
        ids = [find_document(client, name).document_id for name in names] if names else None
        request = ReprocessRequest(document_ids=ids, dry_run=dry_run)
        done = client.reprocess(request) if dry_run else _until_none_is_left(client, request)
    if as_json:
        print_json(done)
    elif dry_run:
        console.print(f"Outdated: {done.outdated}")
    else:
        read = sum(one.stage is Stage.PARSE for one in done.started)
        console.print(f"Under way: {len(done.started)} ({read} read anew, {len(done.started) - read} cut anew)")


def _until_none_is_left(client: SkillnetClient, request: ReprocessRequest) -> ReprocessReply:
    started: list[ReprocessedDocument] = []
    while True:
        reply = client.reprocess(request)
        started += reply.started
        if reply.outdated == 0 or not reply.started:
            return ReprocessReply(started=started, outdated=reply.outdated)
