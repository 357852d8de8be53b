"""API keys: made, hashed, and verified. The tenant comes from the credential and from nowhere else."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog

from skillnet_common.contracts.keys import Scope
from skillnet_common.database.pool import CONNECTION_ERRORS, Database
from skillnet_common.errors import ErrorCode, RequestError

log = structlog.get_logger(__name__)

__all__ = [
    "Authenticator",
    "Principal",
    "Scope",
    "create_organization",
    "hash_key",
    "hint_of",
    "new_key",
    "store_key",
]

_PREFIX = "sk_"
_CACHE_SECONDS = 5.0
_CACHE_SIZE = 10_000
_SEEN_SECONDS = 60.0
_HINT_CHARS = 8

_SEEN = (
    "UPDATE api_keys SET last_used_at = now() WHERE org_id = $1 AND key_id = $2"
    " AND (last_used_at IS NULL OR last_used_at < now() - interval '30 seconds')"
)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: the organisation, the key, what it may do and which groups' documents it sees (None: all)."""

    org_id: UUID
    key_id: UUID
    scopes: frozenset[str]
    audience: tuple[str, ...] | None

    def holds(self, scope: Scope) -> bool:
        """Whether the key may do this; an administrator's may do everything."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def require(self, scope: Scope) -> None:
        """Raises RequestError `forbidden` where the key lacks the scope."""
        if not self.holds(scope):
            raise RequestError(ErrorCode.FORBIDDEN, f"This key lacks the scope {scope}.", scope=scope)


def new_key() -> str:
    """A fresh API key: 256 random bits, so that a plain SHA-256 of it is safe to store."""
    return _PREFIX + secrets.token_urlsafe(32)


def hint_of(key: str) -> str:
    """The beginning of a key, to tell keys apart by."""
    return key[:_HINT_CHARS]


def hash_key(key: str) -> bytes:
    """What is stored of a key: its SHA-256."""
    return hashlib.sha256(key.encode()).digest()


async def create_organization(database: Database, org_id: UUID, name: str) -> None:
    """Creates the organisation; one that exists is left as it is."""
    async with database.tenant(org_id) as connection:
        await connection.execute(
            "INSERT INTO organizations (org_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", org_id, name
        )


async def store_key(
    database: Database,
    org_id: UUID,
    key: str,
    *,
    name: str,
    scopes: Iterable[Scope] = tuple(Scope),
    audience: Sequence[str] | None = None,
    expires_at: datetime | None = None,
) -> UUID:
    """Stores the key's hash and returns its id; the same key again is the same id."""
    async with database.tenant(org_id) as connection:
        key_id = await connection.fetchval(
            "INSERT INTO api_keys (org_id, key_hash, key_hint, name, scopes, audience, expires_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7)"
            " ON CONFLICT (key_hash) DO UPDATE SET name = excluded.name RETURNING key_id",
            org_id,
            hash_key(key),
            hint_of(key),
            name,
            [str(scope) for scope in scopes],
            list(audience) if audience is not None else None,
            expires_at,
        )
    return UUID(str(key_id))


class Authenticator:
    """Turns a credential into a Principal; remembers it for a few seconds, so a revoked key dies that soon."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[bytes, tuple[float, Principal]] = {}
        self._seen: dict[UUID, float] = {}

    async def verify(self, authorization: str | None, *, fresh: bool = False) -> Principal:
        """Verifies an `Authorization` header (`Bearer <key>`); `fresh`: without what is remembered.

        Raises RequestError `unauthorized`.
        """
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise RequestError(ErrorCode.UNAUTHORIZED, "Give an API key: Authorization: Bearer <key>.")
        digest = hash_key(key.strip())
        cached = self._known.get(digest)
        if cached is not None and cached[0] > time.monotonic() and not fresh:
            return cached[1]
        self._known.pop(digest, None)
        principal = await self._look_up(digest)
        await self._note_use(principal)
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        self._known[digest] = (time.monotonic() + _CACHE_SECONDS, principal)
        return principal

    async def _look_up(self, digest: bytes) -> Principal:
        async with self._database.system() as connection:
            row = await connection.fetchrow("SELECT * FROM auth_lookup($1)", digest)
        if row is None:
            raise RequestError(ErrorCode.UNAUTHORIZED, "This API key is not known, or it was revoked or has expired.")
        return Principal(
            org_id=row["org_id"],
            key_id=row["key_id"],
            scopes=frozenset(row["scopes"]),
            audience=tuple(row["audience"]) if row["audience"] is not None else None,
        )

    async def _note_use(self, principal: Principal) -> None:
        """Keeps `last_used_at` about right: one small write a minute and key, which no request fails for."""
        now = time.monotonic()
        if now - self._seen.get(principal.key_id, -_SEEN_SECONDS) < _SEEN_SECONDS:
            return
        try:
            async with self._database.tenant(principal.org_id) as connection:
                await connection.execute(_SEEN, principal.org_id, principal.key_id)
        except CONNECTION_ERRORS as error:
            log.warning("use_of_key_not_noted", error=repr(error))
            return
        if len(self._seen) >= _CACHE_SIZE:
            self._seen.clear()
        self._seen[principal.key_id] = now
