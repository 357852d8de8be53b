"""The first organisation of a local stack and its key, kept in the data folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

from skillnet_bootstrap.organizations import add_organization
from skillnet_cli.local.private_file import write_private
from skillnet_common.auth import new_key

ORGANIZATION_NAME = "Mi organización"


@dataclass(frozen=True, slots=True)
class Account:
    """An organisation and a key of it with every scope."""

    org_id: str
    api_key: str = field(repr=False)

    @property
    def org(self) -> UUID:
        """The organisation's id."""
        return UUID(self.org_id)


def account_path(data_folder: Path) -> Path:
    """Where the account of a data folder is; only its owner may read it."""
    return data_folder / "account.json"


def read_account(data_folder: Path) -> Account | None:
    """The account of the data folder, if it has one."""
    try:
        return Account(**json.loads(account_path(data_folder).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


async def ensure_account(data_folder: Path, database_url: str) -> Account:
    """Creates the organisation and its key on the first start; later ones find them. Safe to repeat."""
    account = read_account(data_folder)
    if account is None:
        account = Account(str(uuid4()), new_key())
        write_private(account_path(data_folder), json.dumps(asdict(account)))
    await add_organization(database_url, account.org, ORGANIZATION_NAME, account.api_key, key_name="local")
    return account
