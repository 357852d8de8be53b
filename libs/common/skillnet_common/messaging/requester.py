"""Asking over the bus: a typed reply, or an error with its code."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from pydantic import BaseModel

from skillnet_common.contracts.retrieval import ErrorReply
from skillnet_common.errors import ErrorCode, PassingFault, RequestError, SkillnetError
from skillnet_common.messaging.responder import ERROR_HEADER

Reply = TypeVar("Reply", bound=BaseModel)

AUTHORIZATION_HEADER = "Authorization"
PURPOSE_HEADER = "Skillnet-Purpose"
_SECOND_TRY_SECONDS = 0.1

_SYSTEM_CODES = {
    ErrorCode.UNAVAILABLE,
    ErrorCode.TIMEOUT,
    ErrorCode.INTERNAL_ERROR,
    ErrorCode.PROVIDER_FAILED,
    ErrorCode.PROVIDER_REFUSED,
    ErrorCode.PROVIDER_TIMEOUT,
    ErrorCode.MODEL_MISMATCH,
}


async def ask(
    client: Client,
    subject: str,
    body: BaseModel,
    reply_type: type[Reply],
    *,
    credential: str,
    timeout: float,
    purpose: str | None = None,
) -> Reply:
    """Sends the request with its credential (`Bearer <key>`) and returns the reply.

    `purpose` says what a question is counted as, where that is not its subject's own.

    Raises SkillnetError with the code of an error reply; PassingFault `unavailable` where nobody listens and
    `timeout` where the answer is late (seconds).
    """
    payload = body.model_dump_json().encode()
    headers = {AUTHORIZATION_HEADER: f"Bearer {credential}"}
    if purpose is not None:
        headers[PURPOSE_HEADER] = purpose
    try:
        try:
            message = await client.request(subject, payload, timeout=timeout, headers=headers)
        except NoRespondersError:
            # One that is just starting is heard of a moment later than it says so.
            await asyncio.sleep(_SECOND_TRY_SECONDS)
            message = await client.request(subject, payload, timeout=timeout, headers=headers)
    except NoRespondersError as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, "No retriever is running.") from error
    except (NatsTimeoutError, TimeoutError) as error:
        raise PassingFault(ErrorCode.TIMEOUT, f"No answer within {timeout:g} s.") from error
    except (NatsError, OSError) as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, f"The bus cannot be reached: {error}") from error
    if message.headers and ERROR_HEADER in message.headers:
        raise _error(ErrorReply.model_validate_json(message.data))
    return reply_type.model_validate_json(message.data)


def _error(reply: ErrorReply) -> SkillnetError:
    code = ErrorCode(reply.code)
    kind = PassingFault if code in _SYSTEM_CODES else RequestError
    return kind(code, reply.message, **reply.details)
