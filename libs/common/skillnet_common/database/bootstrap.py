"""What only a superuser may do, once: roles, extension, schema. And the first embedding model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import asyncpg

ROLES = ("skillnet_migrator", "skillnet_service", "skillnet_dispatcher", "skillnet_backup", "skillnet_monitor")
"""The roles that log in and so need a password."""


async def bootstrap_roles(admin_url: str, passwords: Mapping[str, str]) -> None:
    """Creates roles, schema and extension in the database of `admin_url`; safe to repeat.

    `passwords` gives one for each of `ROLES`.
    """
    missing = set(ROLES) - set(passwords)
    if missing:
        raise ValueError(f"no password given for {sorted(missing)}")
    script = resources.files(__package__).joinpath("roles.sql").read_text(encoding="utf-8")
    connection = await asyncpg.connect(admin_url, timeout=10)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(hashtext('skillnet roles'))")
            await connection.execute(script)
            for role in ROLES:
                statement = await connection.fetchval(
                    "SELECT format('ALTER ROLE %I PASSWORD %L', $1::text, $2::text)", role, passwords[role]
                )
                await connection.execute(statement)
    finally:
        await connection.close()


async def register_first_model(
    migrator_url: str, *, slug: str, fingerprint: str, name: str, dimension: int, identity: Mapping[str, Any]
) -> int:
    """Registers the configured model if the registry is empty, and returns the serving model's id.

    Once a model is registered the registry rules: services that are configured for another refuse to start.
    """
    connection = await asyncpg.connect(migrator_url, timeout=10)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE embedding_models IN SHARE ROW EXCLUSIVE MODE")
            serving = await connection.fetchval("SELECT model_id FROM serving_model")
            if serving is not None:
                return int(serving)
            return int(
                await connection.fetchval(
                    "SELECT register_model($1, $2, $3, $4, $5::jsonb)",
                    slug,
                    fingerprint,
                    name,
                    dimension,
                    json.dumps(identity, sort_keys=True),
                )
            )
    finally:
        await connection.close()
