"""The accounts of a NATS server, in the form of its configuration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from skillnet_common.messaging.users import CORE_ACCOUNT, NatsUser

_JETSTREAM_API = "$JS.API.>"
_LONGEST_WAIT = "10m"
"""Of a pull request without any answer; the server forgets where the answers belong after that."""


def nats_accounts(users: Iterable[NatsUser]) -> dict[str, dict[str, object]]:
    """CORE with JetStream, and an account for each other name in the users' `account`; without users none at all.

    CORE exports what users of the others may publish to (services) and hear (streams), each to those accounts only;
    what a user of another account answers is exported by that account.
    """
    members: dict[str, list[NatsUser]] = defaultdict(list)
    for user in users:
        members[user.account].append(user)
    if not members:
        return {}
    core = members.pop(CORE_ACCOUNT, [])
    answered = {
        subject: account for account, outside in members.items() for user in outside for subject in user.answers
    }
    asked = {account: _services(outside) for account, outside in members.items()}
    services = {account: [one for one in wanted if one not in answered] for account, wanted in asked.items()}
    streams = {
        account: _unique(subject for user in outside for subject in user.hears)
        for account, outside in members.items()
    }
    accounts: dict[str, dict[str, object]] = {
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
                *({"service": _of(answered.get(one, CORE_ACCOUNT), one)} for one in asked[account]),
                *({"stream": _of(CORE_ACCOUNT, subject)} for subject in streams[account]),
            ],
        }
        if exports := _answers_of(account, answered, asked):
            accounts[account]["exports"] = exports
    return accounts


def _answers_of(
    account: str, answered: Mapping[str, str], asked: Mapping[str, Sequence[str]]
) -> list[dict[str, object]]:
    """What the account answers, each to the accounts that ask it."""
    own = {
        asking: [subject for subject in wanted if answered.get(subject) == account]
        for asking, wanted in asked.items()
    }
    return [_service_export(subject, to) for subject, to in _by_subject(own).items()]


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


def _of(account: str, subject: str) -> dict[str, str]:
    return {"account": account, "subject": subject}


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
