"""Organisations made beside the API, which needs a key before it makes anything."""

from __future__ import annotations

from uuid import UUID, uuid4

import asyncpg

from skillnet_bootstrap.provision import SERVICE, DatabaseAccess
from skillnet_common.auth import create_organization, store_key
from skillnet_common.database import Database
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import ErrorCode, PassingFault

_ANY_KEY = "SELECT EXISTS (SELECT FROM skillnet.api_keys)"
_ALONE = "SELECT pg_advisory_lock(hashtext('skillnet first organization'))"


async def add_organization(database_url: str, org_id: UUID, name: str, key: str, *, key_name: str) -> None:
    """Makes the organisation and its key with every scope; what exists is left. `database_url` is the service's."""
    database = await Database.connect(database_url, size=1, name="skillnet-organizations")
    try:
        await create_organization(database, org_id, name)
        await store_key(database, org_id, key, name=key_name)
    finally:
        await database.close()


async def ensure_first_organization(access: DatabaseAccess, name: str, key: str) -> UUID | None:
    """Makes an organisation with this key where no key exists at all; None where there is one already.

    So a key that was changed or revoked since is neither brought back nor given an organisation of its own.
    """
    try:
        connection = await asyncpg.connect(access.admin_url, timeout=10)
    except CONNECTION_ERRORS as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, f"PostgreSQL cannot be reached: {error}") from error
    try:
        await connection.execute(_ALONE)  # until the connection closes
        if await connection.fetchval(_ANY_KEY):
            return None
        org_id = uuid4()
        await add_organization(access.url(SERVICE), org_id, name, key, key_name="first")
        return org_id
    finally:
        await connection.close()
