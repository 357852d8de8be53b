"""The commands on documents as they are typed, against a gateway."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.e2e.system import run_skillnet

from skillnet_cli.exits import Exit
from skillnet_common.auth import new_key, store_key
from skillnet_common.database import Database

from .conftest import RunningGateway
from .reading import chunk_id, read_version
from .test_http_documents import fail, make_live, put

Done = subprocess.CompletedProcess[str]
Skillnet = Callable[..., Awaitable[Done]]


@pytest.fixture
def skillnet(gateway: RunningGateway, api_key: str) -> Skillnet:
    environment = {"SKILLNET_URL": gateway.url, "SKILLNET_API_KEY": api_key}

    async def run(*arguments: object) -> Done:
        return await asyncio.to_thread(run_skillnet, *map(str, arguments), environment=environment)

    return run


@pytest.fixture
async def manual(client: httpx.AsyncClient, database: Database, org: UUID) -> str:
    """A live document with contents."""
    document_id: str = (await put(client, "manual.pdf", b"%PDF del manual", course_id="c1", subject_id="s1"))[
        "document_id"
    ]
    await read_version(database, org, document_id, 1, chunks=3)
    await make_live(database, org, document_id, 1, title="Manual")
    return document_id


def read_json(done: Done) -> Any:
    assert done.returncode == Exit.OK, done.stderr
    return json.loads(done.stdout)


async def test_what_a_document_holds(skillnet: Skillnet, manual: str, tmp_path: Path) -> None:
    tree = (await skillnet("outline", "manual.pdf")).stdout
    assert tree.splitlines() == ["Manual  1", "  Devoluciones  2", "    Sin recibo  2-3"]
    assert len(read_json(await skillnet("chunks", manual, "--json"))) == 3
    one = read_json(await skillnet("chunks", manual, "--chunk", chunk_id(manual, 1, 1), "--json"))
    assert [chunk["text"] for chunk in one] == ["Un vale 1"]
    assert "Un vale 2" in (await skillnet("chunks", manual, "--text")).stdout
    missing = await skillnet("outline", "nada.pdf", "--json")
    assert (missing.returncode, json.loads(missing.stderr)["error"]["code"]) == (Exit.NOT_FOUND, "not_found")
    assert (await skillnet("outline", manual, "--version", "9")).returncode == Exit.NOT_FOUND


async def test_a_download_never_writes_over_a_file_unasked(skillnet: Skillnet, manual: str, tmp_path: Path) -> None:
    folder = await skillnet("download", manual, "-o", tmp_path)
    assert folder.returncode == Exit.OK, folder.stderr
    assert (tmp_path / "manual.pdf").read_bytes() == b"%PDF del manual"
    again = await skillnet("download", manual, "-o", tmp_path)
    assert again.returncode == Exit.USAGE
    target = tmp_path / "otro.pdf"
    assert read_json(await skillnet("download", manual, "-o", target, "--version", 1, "--json"))["bytes"] == 15
    assert (await skillnet("download", manual, "-o", target, "--force")).returncode == Exit.OK
    assert (await skillnet("download", manual, "-o", tmp_path / "no" / "hay.pdf")).returncode == Exit.NOT_FOUND


async def test_a_document_is_edited_and_found_by_what_was_said(skillnet: Skillnet, manual: str) -> None:
    edited = read_json(
        await skillnet(
            "edit", manual, "--title", "Guía [nueva]", "--taxonomy", "a/b", "--metadata", "año=2026",
            "--metadata", 'clave="7"', "--course", "c2", "--clear", "subject", "--json",
        )
    )  # fmt: skip
    assert (edited["title"], edited["courses"], edited["subject_id"]) == ("Guía [nueva]", ["c2"], None)
    assert edited["metadata"] == {"año": 2026, "clave": "7"}
    edited = read_json(await skillnet("edit", manual, "--metadata", "más=sí", "--json"))
    assert edited["metadata"] == {"año": 2026, "clave": "7", "más": "sí"}
    for filters in (
        ("--title", "guia", "--taxonomy", "a", "--course", "c2", "--metadata", "año=2026", "--type", "markdown"),
        ("--updated-after", "2020-01-01", "--updated-before", "2100-01-01T00:00:00Z", "--key", "manual.pdf"),
    ):
        found = read_json(await skillnet("documents", *filters, "--json"))
        assert [one["document_id"] for one in found] == [manual], filters
    assert read_json(await skillnet("documents", "--subject", "s1", "--json")) == []
    assert (await skillnet("documents", "--updated-after", "ayer")).returncode == Exit.USAGE
    assert (await skillnet("edit", manual)).returncode == Exit.USAGE
    assert (await skillnet("edit", manual, "--audience", "a,b")).returncode == Exit.USAGE


async def test_a_version_under_way_is_followed_and_cancelled(skillnet: Skillnet, client: httpx.AsyncClient) -> None:
    document_id = (await put(client, "a.pdf"))["document_id"]
    following = asyncio.ensure_future(skillnet("progress", document_id, "--json"))
    await asyncio.sleep(1.5)
    cancelled = await skillnet("cancel", document_id)
    assert "version 1" in cancelled.stdout
    async with asyncio.timeout(20):
        followed = await following
    events = [json.loads(line) for line in followed.stdout.splitlines()]
    assert followed.returncode == Exit.FAILED
    assert (events[0]["state"], events[-1]["ending"]) == ("uploaded", "cancelled")
    again = await skillnet("cancel", document_id, "--json")
    assert (again.returncode, json.loads(again.stderr)["error"]["code"]) == (Exit.FAILED, "version_ended")


async def test_an_archive(skillnet: Skillnet, tmp_path: Path) -> None:
    path = tmp_path / "todo.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.md", "x")
        archive.writestr("[b].md", "")
    first = await skillnet("bulk", path, "--course", "c9", "--metadata", "a=1")
    assert first.returncode == Exit.FAILED
    assert "[b].md: The file is empty. [empty_file]" in first.stdout
    assert "1 created, 1 refused" in first.stdout
    again = json.loads((await skillnet("bulk", path, "--json")).stdout)
    assert again["summary"]["counts"] == {"unchanged": 1, "refused": 1}
    assert len(read_json(await skillnet("documents", "--course", "c9", "--json"))) == 1
    (tmp_path / "no.zip").write_bytes(b"no")
    assert (await skillnet("bulk", tmp_path / "no.zip")).returncode == Exit.FAILED
    assert (await skillnet("bulk", tmp_path / "none.zip")).returncode == Exit.USAGE


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


async def test_an_export_into_a_folder_is_completed_by_the_next_run(
    skillnet: Skillnet, manual: str, client: httpx.AsyncClient, database: Database, org: UUID, tmp_path: Path
) -> None:
    failed = (await put(client, "../mal\\o.pdf"))["document_id"]
    await fail(database, org, failed, 1)
    folder = tmp_path / "copia"
    manifest = read_json(await skillnet("export", folder, "--json"))
    assert (manifest["complete"], manifest["documents"], manifest["originals"], manifest["chunks"]) == (True, 2, 2, 3)
    assert {(one["document_id"], one["part"], one["code"]) for one in manifest["left_out"]} == {
        (failed, "outline", "contents_missing"),
        (failed, "chunks", "contents_missing"),
    }
    assert manifest == json.loads((folder / "manifest.json").read_text("utf-8"))
    assert (folder / "originals" / manual / "manual.pdf").read_bytes() == b"%PDF del manual"
    assert (folder / "originals" / failed / "o.pdf").read_bytes() == b"texto"
    documents = json_lines((folder / "documents.jsonl").read_text("utf-8"))
    assert {one["document_id"] for one in documents} == {manual, failed}
    outlines = json_lines((folder / "outlines.jsonl").read_text("utf-8"))
    assert [(one["document_id"], len(one["sections"])) for one in outlines] == [(manual, 3)]
    chunks = json_lines((folder / "chunks.jsonl").read_text("utf-8"))
    assert [one["chunk_index"] for one in chunks] == [0, 1, 2]

    (folder / "originals" / manual / "manual.pdf").write_bytes(b"%PDF del manuaL")
    (folder / "manifest.json").write_text('{"complete": false}')
    again = await skillnet("export", folder)
    assert "2 originals" in again.stdout
    assert "1 of them there already" in again.stdout
    assert (folder / "originals" / manual / "manual.pdf").read_bytes() == b"%PDF del manual"


@pytest.mark.parametrize("name", ["copia.zip", "copia.tar.gz"])
async def test_an_export_into_an_archive_is_whole_or_not_there(
    skillnet: Skillnet, manual: str, gateway: RunningGateway, org: UUID, tmp_path: Path, name: str
) -> None:
    target = tmp_path / name
    done = await skillnet("export", target)
    assert done.returncode == Exit.OK, done.stderr
    if name.endswith(".zip"):
        with zipfile.ZipFile(target) as archive:
            names = set(archive.namelist())
    else:
        with tarfile.open(target) as packed:
            names = set(packed.getnames())
    assert names == {
        f"originals/{manual}/manual.pdf", "documents.jsonl", "outlines.jsonl", "chunks.jsonl", "manifest.json",
    }  # fmt: skip
    assert (await skillnet("export", target)).returncode == Exit.USAGE
    stored = next(path for path in gateway.stored() if str(org) in path.as_posix())
    stored.unlink()
    without = await skillnet("export", target, "--force")
    assert without.returncode == Exit.FAILED, "the original of a live document is missing"
    assert "no longer in the object store" in without.stdout
    assert names_in(tmp_path) == {name}


async def test_an_export_mixes_with_nothing_and_leaves_nothing_half_done(
    skillnet: Skillnet, manual: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("x")
    assert (await skillnet("export", tmp_path)).returncode == Exit.USAGE
    assert (await skillnet("export", tmp_path / "mine.txt")).returncode == Exit.USAGE
    environment = {"SKILLNET_URL": "http://127.0.0.1:9", "SKILLNET_API_KEY": "sk_x"}
    gone = await asyncio.to_thread(run_skillnet, "export", str(tmp_path / "a.zip"), environment=environment)
    assert gone.returncode == Exit.UNAVAILABLE
    assert names_in(tmp_path) == {"mine.txt"}


async def test_an_export_says_that_its_key_sees_not_all(
    gateway: RunningGateway, manual: str, client: httpx.AsyncClient, database: Database, org: UUID, tmp_path: Path
) -> None:
    await client.patch(f"/v1/documents/{manual}", json={"audience": ["tienda"]})
    await put(client, "horno.pdf", audience="horno")
    key = new_key()
    await store_key(database, org, key, name="tienda", audience=["tienda"])
    environment = {"SKILLNET_URL": gateway.url, "SKILLNET_API_KEY": key}
    done = await asyncio.to_thread(run_skillnet, "export", str(tmp_path / "a"), environment=environment)
    assert "1 document," in done.stdout
    assert "Only what this key sees: tienda" in done.stdout


async def test_other_sizes_of_chunks_and_what_they_make_outdated(skillnet: Skillnet, manual: str) -> None:
    shown = read_json(await skillnet("organization", "--chunk-max-tokens", "200", "--json"))
    assert (shown["chunks"]["max_tokens"], shown["chunks"]["own"]) == (200, ["max_tokens"])
    assert (await skillnet("reprocess", "--dry-run")).stdout == "Outdated: 1\n"
    done = read_json(await skillnet("reprocess", "manual.pdf", "--json"))
    assert [(one["document_id"], one["version"], one["stage"]) for one in done["started"]] == [(manual, 2, "chunk")]
    assert (await skillnet("reprocess")).stdout == "Under way: 0 (0 read anew, 0 cut anew)\n"
    assert (await skillnet("reprocess", "nada.pdf")).returncode == Exit.NOT_FOUND
    back = read_json(await skillnet("organization", "--default-chunks", "--json"))
    assert back["chunks"]["own"] == []
    refused = await skillnet("organization", "--chunk-min-tokens", "400")
    assert refused.returncode == Exit.USAGE
    assert "min_tokens must be below" in refused.stderr
