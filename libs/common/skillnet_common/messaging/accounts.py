"""The accounts of a NATS server, in the form of its configuration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from skillnet_common.messaging.users import CORE_ACCOUNT, NatsUser

_JETSTREAM_API = "$JS.API.>"
_LONGEST_WAIT = "10m"
"""Of a pull request without any answer; the server forgets where the answers belong after that."""


def nats_accounts(users: Iterable[NatsUser]) -> dict[str, object]:
    """CORE with JetStream, and an account for each other name in the users' `account`; without users none at all.

    CORE exports what users of the others may publish to (services) and hear (streams), each to those accounts only.
    """
    members: dict[str, list[NatsUser]] = defaultdict(list)
    for user in users:
        members[user.account].append(user)
    if not members:
        return {}
    core = members.pop(CORE_ACCOUNT, [])
    services = {account: _services(outside) for account, outside in members.items()}
    streams = {
        account: _unique(subject for user in outside for subject in user.hears)
        for account, outside in members.items()
    }
    accounts: dict[str, object] = {
        CORE_ACCOUNT: {
            "jetstream": "enabled",
            "users": [_authorization(user) for user in core],
            "exports": [
                *(_service_export(subject, to) for subject, to in _by_subject(services).items()),
                *({"stream": subject, "accounts": to} for subject, to in _by_subject(streams).items()),
            ],
        }
    }
    for account, outside in members.items():
        accounts[account] = {
            "users": [_authorization(user) for user in outside],
            "imports": [
                *({"service": _of_core(subject)} for subject in services[account]),
                *({"stream": _of_core(subject)} for subject in streams[account]),
            ],
        }
    return accounts


def _services(users: Sequence[NatsUser]) -> list[str]:
    """The JetStream API as a whole, for the server answers any other part of it with "not enabled for account".

    Which of its subjects a user may publish to is said by the user's permissions.
    """
    return _unique(
        _JETSTREAM_API if subject.startswith("$JS.API.") else subject for user in users for subject in user.publish
    )


def _service_export(subject: str, accounts: Sequence[str]) -> dict[str, object]:
    export: dict[str, object] = {"service": subject, "accounts": accounts}
    if subject == _JETSTREAM_API:
        # A pull request is answered by as many messages as it asks for.
        export |= {"response_type": "stream", "response_threshold": _LONGEST_WAIT}
    return export


def _by_subject(subjects: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    accounts: dict[str, list[str]] = defaultdict(list)
    for account, names in subjects.items():
        for subject in names:
            accounts[subject].append(account)
    return accounts


def _of_core(subject: str) -> dict[str, str]:
    return {"account": CORE_ACCOUNT, "subject": subject}


def _unique(subjects: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(subjects))


def _authorization(user: NatsUser) -> dict[str, object]:
    publish: dict[str, object] = {"allow": list(user.publish)} if user.publish else {"deny": [">"]}
    if user.publish and user.publish_denied:
        publish["deny"] = list(user.publish_denied)
    permissions: dict[str, object] = {
        "publish": publish,
        "subscribe": {"allow": list(user.subscribe)} if user.subscribe else {"deny": [">"]},
    }
    if user.allow_responses:
        permissions["allow_responses"] = True
    return {"user": user.name, "password": user.password, "permissions": permissions}
