"""Another team's service: hears of every changed document, from the first one on. Plain nats-py, nothing of ours.

NATS_URL=... NATS_USER=subscriber NATS_PASSWORD=... python examples/subscriber.py my-team
"""

import asyncio
import contextlib
import json
import os
import sys

import nats


async def main(team: str) -> None:
    user = os.environ["NATS_USER"]
    connection = await nats.connect(
        os.environ["NATS_URL"], user=user, password=os.environ["NATS_PASSWORD"], inbox_prefix=f"_INBOX_{user}"
    )
    subscription = await connection.jetstream().pull_subscribe(
        "document.updated.>", durable=team, stream="DOCUMENT_EVENTS"
    )
    while True:
        try:
            messages = await subscription.fetch(10, timeout=5)
        except nats.errors.TimeoutError:
            continue
        for message in messages:  # at least once: `ce-id` tells a repetition
            event = json.loads(message.data)
            print(
                (message.headers or {})["ce-id"], event["change"], f"v{event['version']}", event["title"], flush=True
            )
            await message.ack()


if not {"NATS_URL", "NATS_USER", "NATS_PASSWORD"} <= os.environ.keys():
    sys.exit("Set NATS_URL, NATS_USER and NATS_PASSWORD: `skillnet up` prints them.")
with contextlib.suppress(KeyboardInterrupt):
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "my-team"))
