"""`make demo`: starts everything, ingests examples/documents, asks three questions, stops.

Its data stay in `.skillnet/demo` (or SKILLNET_DEMO_DATA), so that a second run finds every document unchanged.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from skillnet_cli.commands.ask import print_answer
from skillnet_cli.commands.ingest import ingest_files, print_summary
from skillnet_cli.files import files_to_ingest
from skillnet_cli.output import console, escape
from skillnet_cli.stack import open_stack, start_account
from skillnet_cli.target import Target
from skillnet_client import UploadOptions
from skillnet_common.contracts.answers import AskRequest
from skillnet_common.errors import SkillnetError

HERE = Path(__file__).resolve().parent
DOCUMENTS = HERE / "documents"
QUESTIONS = HERE / "questions_demo.json"
DATA = Path(os.environ.get("SKILLNET_DEMO_DATA") or HERE.parent / ".skillnet" / "demo")


async def main() -> int:
    """Returns the exit code: 0 where every document could be read and every question was answered."""
    begun = time.monotonic()
    console.print("Starting PostgreSQL, NATS and seven services ...")
    async with open_stack(DATA) as stack:
        for notice in stack.notices:
            console.print(escape(notice))
        target = Target(stack.address, (await start_account(stack)).api_key)
        console.print(f"Ready at {stack.address} after {time.monotonic() - begun:.1f} s\n")
        well = await asyncio.to_thread(_ingest_and_ask, target)
        console.print("Stopping ...")
    console.print(f"Done in {time.monotonic() - begun:.1f} s.")
    return 0 if well else 1


def _ingest_and_ask(target: Target) -> bool:
    files = files_to_ingest([str(DOCUMENTS)], DOCUMENTS)
    results = ingest_files(target, files, options=UploadOptions(), into=None, quiet=False)
    print_summary(results)
    answered = [_ask(target, entry["question"]) for entry in json.loads(QUESTIONS.read_text(encoding="utf-8"))]
    return all(answered) and not any(result.failed for result in results)


def _ask(target: Target, question: str) -> bool:
    console.print(f"\n[bold]{escape(question)}[/]")
    with target.client() as client:
        reply = client.ask(AskRequest(question=question))
    print_answer(reply)
    return bool(reply.citations)


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except SkillnetError as error:
        sys.exit(f"demo: {error.message}")
    except KeyboardInterrupt:
        sys.exit(130)
