"""The role skillnet_backup can dump the database, and what it dumped can be put back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

from tests.conftest import TEST_MODEL

from skillnet_bootstrap.organizations import add_organization
from skillnet_bootstrap.provision import SERVICE, DatabaseAccess, create_database, prepare_database
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.programs import postgres_programs
from skillnet_common.auth import Authenticator, new_key
from skillnet_common.database import ROLES, Database, register_first_model


async def run(program: str, *arguments: str) -> None:
    process = await asyncio.create_subprocess_exec(
        postgres_programs(None) / program, *arguments, env={"LC_ALL": "C.UTF-8"}, stderr=asyncio.subprocess.PIPE
    )
    _, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()


async def prepared(postgres: EmbeddedPostgres) -> DatabaseAccess:
    """A database as the bootstrap leaves it, with a model's partition of vectors."""
    name = f"backup_{uuid4().hex[:8]}"
    await create_database(postgres.admin_url, name)
    access = DatabaseAccess(postgres.url(name), dict.fromkeys(ROLES, "secret"))

    async def register(url: str) -> None:
        await register_first_model(url, **TEST_MODEL)

    await prepare_database(access, register)
    return access


async def test_a_dump_of_the_backup_role_can_be_restored(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    source, key, org_id = await prepared(postgres), new_key(), uuid4()
    await add_organization(source.url(SERVICE), org_id, "Panadería", key, key_name="first")
    dump = str(tmp_path / "skillnet.dump")
    await run("pg_dump", "--format", "custom", "--file", dump, source.url("skillnet_backup"))

    name = f"restored_{uuid4().hex[:8]}"
    await create_database(postgres.admin_url, name)
    restored = DatabaseAccess(postgres.url(name), source.passwords)
    await run("pg_restore", "--exit-on-error", "--single-transaction", "--dbname", restored.admin_url, dump)

    assert await prepare_database(restored, None) == [TEST_MODEL["slug"]]
    database = await Database.connect(restored.url(SERVICE), size=1)
    assert (await Authenticator(database).verify(f"Bearer {key}")).org_id == org_id
    await database.close()
