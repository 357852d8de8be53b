"""Ordered, forward-only migrations in plain SQL: `0001_name.sql`, applied once each, under a lock."""

from __future__ import annotations

import hashlib
import re
from importlib import resources

import asyncpg

from skillnet_common.errors import ErrorCode, PermanentFault

_NAME = re.compile(r"^\d{4}_[a-z0-9_]+\.sql$")


def migration_files() -> list[tuple[str, str]]:
    """(file name, SQL) in order."""
    folder = resources.files(__package__)
    names = sorted(item.name for item in folder.iterdir() if _NAME.match(item.name))
    return [(name, folder.joinpath(name).read_text(encoding="utf-8")) for name in names]


async def migrate(migrator_url: str, *, lock_timeout: str = "10s") -> list[str]:
    """Applies what is missing, each file in a transaction of its own; returns the names applied.

    Raises PermanentFault `misconfigured` where an applied file has been changed since, or where the database
    is newer than this program.
    """
    connection = await asyncpg.connect(migrator_url, timeout=10)
    try:
        await connection.execute("SELECT pg_advisory_lock(hashtext('skillnet migrations'))")
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations"
            " (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        await connection.execute(
            "GRANT SELECT ON schema_migrations TO skillnet_service, skillnet_dispatcher, skillnet_backup"
        )
        applied = {
            row["name"]: row["sha256"] for row in await connection.fetch("SELECT name, sha256 FROM schema_migrations")
        }
        files = migration_files()
        _check(applied, files)
        done = []
        for name, sql in files:
            if name not in applied:
                async with connection.transaction():
                    await connection.execute(f"SET LOCAL lock_timeout = '{lock_timeout}'")
                    await connection.execute(sql)
                    await connection.execute(
                        "INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)", name, _digest(sql)
                    )
                done.append(name)
        return done
    finally:
        await connection.close()


def _check(applied: dict[str, str], files: list[tuple[str, str]]) -> None:
    known = {name: _digest(sql) for name, sql in files}
    for name, digest in applied.items():
        if name not in known:
            raise PermanentFault(
                ErrorCode.MISCONFIGURED,
                f"The database has migration {name}, which this version does not know.",
            )
        if known[name] != digest:
            raise PermanentFault(ErrorCode.MISCONFIGURED, f"Migration {name} was changed after it had been applied.")


def _digest(sql: str) -> str:
    return hashlib.sha256(sql.encode()).hexdigest()
