"""The asynchronous client, put together of its subjects."""

from skillnet_client.aio.account import AsyncAccountCalls
from skillnet_client.aio.contents import AsyncContentCalls
from skillnet_client.aio.courses import AsyncCourseCalls
from skillnet_client.aio.following import AsyncFollowingCalls
from skillnet_client.aio.quarantine import AsyncQuarantineCalls
from skillnet_client.aio.questions import AsyncQuestionCalls


class AsyncSkillnetClient(
    AsyncFollowingCalls,
    AsyncContentCalls,
    AsyncCourseCalls,
    AsyncQuestionCalls,
    AsyncAccountCalls,
    AsyncQuarantineCalls,
):
    """Calls a gateway. Every method raises SkillnetApiError; `timeout` is in seconds for each read or write.

    A context manager; `close` it otherwise.
    """
