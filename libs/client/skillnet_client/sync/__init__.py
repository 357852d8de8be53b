"""The synchronous client, put together of its subjects."""

from skillnet_client.sync.account import AccountCalls
from skillnet_client.sync.contents import ContentCalls
from skillnet_client.sync.courses import CourseCalls
from skillnet_client.sync.following import FollowingCalls
from skillnet_client.sync.quarantine import QuarantineCalls
from skillnet_client.sync.questions import QuestionCalls


class SkillnetClient(FollowingCalls, ContentCalls, CourseCalls, QuestionCalls, AccountCalls, QuarantineCalls):
    """Calls a gateway. Every method raises SkillnetApiError; `timeout` is in seconds for each read or write.

    A context manager; `close` it otherwise.
    """
