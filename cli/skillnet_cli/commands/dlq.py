"""`skillnet dlq list | show | replay`: work that was given up, and (`dlq bus`) messages nobody could read."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from skillnet_cli.commands import dlq_bus
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.ids import id_of
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_client import SkillnetApiError, SkillnetClient
from skillnet_common.contracts.quarantine import QuarantinedWork
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="Dead letters: work that was given up.")
app.add_typer(dlq_bus.app, name="bus")

_REASON = 60
_work_id = id_of("work", hint="`skillnet dlq list` shows them. Numbers are those of `skillnet dlq bus`.")


@app.command("list")
@reports_errors
def list_(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the work that was given up, newest first."""
    with find_target(data).client() as client:
        found = list(client.quarantine())
    if as_json:
        print_json(found)
    elif not found:
        console.print("Nothing was given up.")
    else:
        print_table(
            ["Document", "Version", "Stage", "Attempts", "When", "Last error", "Id"],
            [
                (
                    work.title,
                    f"{work.version} (outrun)" if work.outrun else work.version,
                    work.stage,
                    work.attempts,
                    work.quarantined_at.isoformat(timespec="seconds"),
                    _shortened(work.last_error or ""),
                    work.work_id,
                )
                for work in found
            ],
        )


@app.command()
@reports_errors
def show(
    work_id: Annotated[UUID, typer.Argument(metavar="ID", parser=_work_id)],
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show a piece of it, with the whole of its last error."""
    with find_target(data).client() as client:
        work = client.quarantined(work_id)
    if as_json:
        print_json(work)
        return
    print_table(
        ["", ""],
        [
            ("document", f"{work.title} ({work.document_id})"),
            ("key", f"{work.source}: {work.external_key}"),
            ("version", f"{work.version}, outrun by a newer one" if work.outrun else work.version),
            ("stage", work.stage),
            ("attempts", work.attempts),
            ("given up", work.quarantined_at.isoformat(timespec="seconds")),
        ],
    )
    console.print()
    console.print(escape(work.last_error or "No error was noted."), soft_wrap=True)


@app.command()
@reports_errors
def replay(
    work_ids: Annotated[
        list[UUID] | None, typer.Argument(metavar="ID...", show_default=False, parser=_work_id)
    ] = None,
    data: DataFolder = None,
    all_: Annotated[bool, typer.Option("--all", help="All of it, but for what a newer version has outrun.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try it again, once the cause is mended: the version is under way again, from the stage that failed."""
    if bool(work_ids) == all_:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Give IDs or --all.")
    with find_target(data).client() as client:
        wanted = work_ids or [work.work_id for work in _replayable(client)]
        results = [_replay(client, work_id) for work_id in wanted]
    if as_json:
        print_json(results)
    elif not results:
        console.print("Nothing is left to replay.")
    for result in [] if as_json else results:
        console.print(escape(f"{result['work_id']}: {result['message']}"), soft_wrap=True)
    codes = {result["code"] for result in results}
    if codes == {ErrorCode.NOT_FOUND}:
        raise typer.Exit(Exit.NOT_FOUND)
    if any(codes):
        raise typer.Exit(Exit.FAILED)


def _replayable(client: SkillnetClient) -> list[QuarantinedWork]:
    return [work for work in client.quarantine() if not work.outrun]


def _replay(client: SkillnetClient, work_id: UUID) -> dict[str, str | None]:
    """One refusal stops no other; a gateway that is away or a key that may not stops them all."""
    try:
        reply = client.replay(work_id)
    except SkillnetApiError as error:
        if error.code in {ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT, ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN}:
            raise
        return {"work_id": str(work_id), "code": error.code, "message": error.detail}
    message = f"version {reply.version} goes on from {reply.stage}"
    return {"work_id": str(work_id), "code": None, "message": message}


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _REASON else f"{line[:_REASON]} …"
