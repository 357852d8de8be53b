"""API keys of an organisation: a key makes none that reaches further than it does itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import structlog

from skillnet_common.auth import Principal, Scope, hash_key, hint_of, new_key
from skillnet_common.contracts.keys import CreatedKey, Key, KeyRequest
from skillnet_common.database import Database, Queries
from skillnet_common.errors import ErrorCode, RequestError

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "account.sql")


class Keys:
    """Makes, shows and revokes keys. One limited to groups neither sees nor touches a key that is not within them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, principal: Principal, request: KeyRequest) -> CreatedKey:
        """A new key; only its hash is kept. Raises RequestError `forbidden` where it would widen the maker's rights,
        `invalid_request` where it would have expired already."""
        _require_within(principal, request)
        if request.expires_at is not None and request.expires_at <= datetime.now(UTC):
            raise RequestError(ErrorCode.INVALID_REQUEST, "expires_at lies in the past.")
        secret = new_key()
        async with self._database.tenant(principal.org_id) as connection:
            creator = await connection.fetchrow(_SQL.key_of_creator, principal.org_id, principal.key_id)
            if creator is None:
                raise RequestError(ErrorCode.UNAUTHORIZED, "This API key was revoked or has expired.")
            _require_no_longer_life(creator["expires_at"], request.expires_at)
            row = await connection.fetchrow(
                _SQL.add_key,
                principal.org_id,
                hash_key(secret),
                hint_of(secret),
                request.name,
                sorted(set(request.scopes)),
                request.audience,
                request.expires_at,
                principal.key_id,
            )
        if row is None:
            raise LookupError("an inserted key returned no row")
        key = CreatedKey(**row, api_key=secret)
        _log("key_created", principal, key.key_id, scopes=key.scopes, audience=key.audience)
        return key

    async def all(self, principal: Principal) -> list[Key]:
        """Oldest first, revoked and expired ones too."""
        async with self._database.tenant(principal.org_id, readonly=True) as connection:
            rows = await connection.fetch(_SQL.keys, principal.org_id, _groups(principal), None)
        return [Key(**row) for row in rows]

    async def get(self, principal: Principal, key_id: UUID) -> Key:
        """Raises RequestError `not_found`."""
        async with self._database.tenant(principal.org_id, readonly=True) as connection:
            row = await connection.fetchrow(_SQL.keys, principal.org_id, _groups(principal), key_id)
        if row is None:
            raise _not_found()
        return Key(**row)

    async def revoke(self, principal: Principal, key_id: UUID, *, force: bool) -> None:
        """Revokes it for good; again does nothing.

        Raises RequestError `not_found`, and `last_admin_key` where no usable administrator's key of its reach would
        be left that lives as long, unless with `force`.
        """
        async with self._database.tenant(principal.org_id) as connection:
            await connection.execute(
                _SQL.hold_organization, principal.org_id
            )  # two may not revoke each other at once
            row = await connection.fetchrow(_SQL.keys, principal.org_id, _groups(principal), key_id)
            if row is None:
                raise _not_found()
            if not force and _is_usable_admin(row):
                others = await connection.fetchval(
                    _SQL.other_admin_key_exists, principal.org_id, key_id, row["audience"], row["expires_at"]
                )
                if not others:
                    raise RequestError(
                        ErrorCode.LAST_ADMIN_KEY,
                        "This is the last usable administrator's key of its reach and life: without it nobody could"
                        " make keys again. Make another one first, or revoke it with force.",
                    )
            await connection.execute(_SQL.revoke_key, principal.org_id, key_id)
        _log("key_revoked", principal, key_id, force=force)


def _require_within(principal: Principal, request: KeyRequest) -> None:
    missing = sorted(scope for scope in request.scopes if not principal.holds(scope))
    if missing:
        raise RequestError(ErrorCode.FORBIDDEN, f"This key cannot grant what it lacks: {', '.join(missing)}.")
    if principal.audience is None:
        return
    if request.audience is None or not set(request.audience) <= set(principal.audience):
        raise RequestError(
            ErrorCode.FORBIDDEN, "This key is limited to groups: name an `audience` of groups that are its own."
        )


def _require_no_longer_life(own: datetime | None, wanted: datetime | None) -> None:
    if own is not None and (wanted is None or wanted > own):
        raise RequestError(
            ErrorCode.FORBIDDEN, f"This key expires at {own.isoformat()}: one that it makes must not outlive it."
        )


def _is_usable_admin(row: Any) -> bool:
    expired = row["expires_at"] is not None and row["expires_at"] <= datetime.now(UTC)
    return Scope.ADMIN in row["scopes"] and row["revoked_at"] is None and not expired


def _groups(principal: Principal) -> list[str] | None:
    return None if principal.audience is None else list(principal.audience)


def _not_found() -> RequestError:
    return RequestError(ErrorCode.NOT_FOUND, "There is no such key.")


def _log(event: str, principal: Principal, key_id: UUID, **more: object) -> None:
    log.info(event, org_id=str(principal.org_id), by=str(principal.key_id), key_id=str(key_id), **more)
