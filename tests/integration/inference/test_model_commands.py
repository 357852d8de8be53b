"""`skillnet models` without the extra `export`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skillnet_cli.main import app
from skillnet_inference.export import tools
from skillnet_inference.factory import model_identity, prepare_model
from skillnet_inference.inventory import ModelState, known_models
from skillnet_inference.model_store import ModelStore
from skillnet_inference.settings import EmbeddingSettings


def test_a_model_is_listed_before_and_after_it_is_built(tmp_path: Path) -> None:
    settings = EmbeddingSettings()
    (model,) = known_models(settings, ModelStore(tmp_path))
    assert (model.configured, model.state, model.identity) == (True, ModelState.NOT_BUILT, model_identity(settings))


def test_what_is_built_is_listed_behind_what_is_configured(model_cache: Path) -> None:
    built = prepare_model(EmbeddingSettings())
    for settings in (
        EmbeddingSettings(provider="api", api_base="http://localhost/v1"),
        EmbeddingSettings(precision="fp32"),
        EmbeddingSettings(model_path=built),
    ):
        first, *others = known_models(settings)
        assert first.configured
        assert first.identity == model_identity(settings)
        assert model_identity(EmbeddingSettings()) in [model.identity for model in others]
        assert not any(model.configured for model in others)
    (first, *_) = known_models(EmbeddingSettings(provider="api", api_base="http://localhost/v1"))
    assert (first.state, first.place) == (ModelState.REMOTE, "http://localhost/v1")


def test_the_list_for_programs(model_cache: Path) -> None:
    folder = prepare_model(EmbeddingSettings())
    run = CliRunner().invoke(app, ["models", "list", "--json"])
    identity = model_identity(EmbeddingSettings())
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)[0] == {
        "model": identity.slug,
        "name": "intfloat/multilingual-e5-small",
        "fingerprint": identity.fingerprint,
        "dimension": 384,
        "window": 512,
        "precision": "int8",
        "provider": "local",
        "configured": True,
        "state": "ready",
        "where": str(folder),
    }


def test_a_damaged_folder_is_told(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    settings = EmbeddingSettings()
    (model,) = known_models(settings, store)
    Path(model.place).mkdir()
    (Path(model.place) / "model.json").write_text(
        '{"name": "m", "dimension": 3, "window": 8, "pooling": "mean", "files": {"model.onnx": "' + "0" * 64 + '"}}'
    )
    assert known_models(settings, store)[0].state is ModelState.DAMAGED


def test_a_built_folder_is_whole_and_embeds(model_cache: Path) -> None:
    folder = prepare_model(EmbeddingSettings())
    run = CliRunner().invoke(app, ["models", "verify", str(folder), "--json"])
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)
    assert (found["passed"], found["comparison"]) == (True, None)
    assert found["texts"] > 50


@pytest.mark.parametrize(
    "command", [["export", "owner/name", "--output", "out"], ["verify", "folder", "--against", "owner/name"]]
)
def test_without_the_extra_it_is_said_what_to_install(
    command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tools, "find_spec", lambda _module: None)
    run = CliRunner().invoke(app, ["models", *command, "--json"])
    assert run.exit_code == 1
    error = json.loads(run.stderr)["error"]
    assert error["code"] == "misconfigured"
    assert "make export-tools" in error["message"]
    assert list(tmp_path.iterdir()) == []
