"""`skillnet status`: what runs, and what waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from skillnet_cli.account import read_account
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder, data_folder_or_default, require_stack
from skillnet_common.database import Database

_DOCUMENTS = (
    "SELECT processing_status AS state, count(*) AS documents FROM documents"
    " WHERE deleted_at IS NULL GROUP BY 1 ORDER BY 1"
)
_WORK = (
    "SELECT stage, state, count(*) AS pieces, sum(cost)::bigint AS cost FROM work"
    " WHERE state IN ('waiting', 'released', 'claimed', 'quarantined') GROUP BY 1, 2 ORDER BY 1, 2"
)


@reports_errors
def status(data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show the processes of the running stack, its documents and the work that waits."""
    folder = data_folder_or_default(data)
    state = require_stack(folder)
    account = read_account(folder)
    documents: Sequence[dict[str, Any]] = []
    work: Sequence[dict[str, Any]] = []
    if account is not None and "DATABASE_URL" in state.environment:
        documents, work = asyncio.run(_count(state.environment["DATABASE_URL"], account.org))
    if as_json:
        print_json(
            {
                "phase": state.phase,
                "address": state.address,
                "data": str(folder),
                "processes": [asdict(process) for process in state.processes],
                "documents": list(documents),
                "work": list(work),
            }
        )
        return
    console.print(f"[bold]{state.phase}[/] at {state.address}, data in {escape(str(folder))}\n")
    print_table(
        ["Process", "Pid", "Ready", "Restarts"],
        [(p.name, p.pid or "-", "yes" if p.ready else "no", p.restarts) for p in state.processes],
    )
    console.print()
    print_table(["Documents", ""], [(row["state"], row["documents"]) for row in documents])
    if work:
        console.print()
        print_table(["Stage", "State", "Pieces"], [(row["stage"], row["state"], row["pieces"]) for row in work])


async def _count(url: str, org_id: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    database = await Database.connect(url, size=1, name="skillnet-status")
    try:
        async with database.tenant(org_id, readonly=True) as connection:
            documents = [dict(row) for row in await connection.fetch(_DOCUMENTS)]
            work = [dict(row) for row in await connection.fetch(_WORK)]
    finally:
        await database.close()
    return documents, work
