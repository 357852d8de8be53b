"""Export and verification on the carried weights as a Hugging Face folder; torch has an environment of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.docs.pages import ROOT

from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import open_encoder
from skillnet_inference.settings import EmbeddingSettings

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

NAME = "own/e5"
PREFIXES = ("--query-prefix", "query: ", "--passage-prefix", "passage: ")
WRITE = (
    "import sys\n"
    "from pathlib import Path\n"
    "from benchmarks.reference.model_folder import write_model_folder\n"
    "write_model_folder(Path(sys.argv[1]))\n"
)
ENCODE = (
    "import json, sys\n"
    "from sentence_transformers import SentenceTransformer\n"
    "model = SentenceTransformer(sys.argv[1], device='cpu')\n"
    "vectors = model.encode(json.load(sys.stdin), normalize_embeddings=True, batch_size=8)\n"
    "print(json.dumps(vectors.tolist()))\n"
)


@pytest.fixture(scope="module")
def python() -> Path:
    """The interpreter that has the extra."""
    path = os.environ.get("EXPORT_PYTHON")
    if path is None:
        pytest.skip("EXPORT_PYTHON is not set: make check-long sets it")
    return Path(path)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    subprocess.run([sys.executable, "-c", WRITE, str(folder)], cwd=ROOT, check=True)
    (folder / "README.md").write_text("Somebody else's words.")
    return folder


@pytest.fixture(scope="module")
def fp32(python: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(python, source, tmp_path_factory.mktemp("fp32") / "model", "fp32")


def skillnet(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [str(python.parent / "skillnet"), "models", *arguments, "--json"]
    return subprocess.run(command, env=offline, capture_output=True, text=True, check=False)


def exported(python: Path, source: Path, output: Path, precision: str) -> Path:
    run = skillnet(
        python, "export", str(source), "-o", str(output), "--precision", precision, "--name", NAME, *PREFIXES
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert (told["dimension"], told["window"], told["pooling"], told["precision"]) == (384, 512, "mean", precision)
    assert (told["query_prefix"], told["passage_prefix"]) == ("query: ", "passage: ")
    assert {file.name for file in output.iterdir()} == {"model.onnx", "tokenizer.json", "model.json"}
    return output


def verified(python: Path, folder: Path, source: Path) -> tuple[int, dict[str, Any]]:
    run = skillnet(python, "verify", str(folder), "--against", str(source))
    assert run.stdout, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    print(folder.name, found["comparison"])
    return run.returncode, found


def test_float32_gives_the_vectors_of_sentence_transformers(python: Path, source: Path, fp32: Path) -> None:
    code, found = verified(python, fp32, source)
    assert (code, found["passed"]) == (0, True)
    assert found["comparison"]["min_cosine"] >= 0.999


def test_int8_stays_near(python: Path, source: Path, tmp_path: Path) -> None:
    code, found = verified(python, exported(python, source, tmp_path / "int8", "int8"), source)
    assert (code, found["passed"]) == (0, True)
    assert found["comparison"]["mean_cosine"] >= 0.99
    assert found["comparison"]["min_cosine"] >= 0.97


def test_other_vectors_are_told_by_the_exit_code(python: Path, source: Path, fp32: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pooled-otherwise"
    shutil.copytree(fp32, folder, copy_function=os.link)
    manifest = json.loads((folder / "model.json").read_text())
    (folder / "model.json").unlink()
    (folder / "model.json").write_text(json.dumps({**manifest, "pooling": "cls"}))
    code, found = verified(python, folder, source)
    assert (code, found["passed"]) == (1, False)


def test_the_embedder_loads_the_folder(
    python: Path, source: Path, fp32: Path, texts: list[str], fp32_encoder: Encoder
) -> None:
    finals = json.dumps([f"passage: {text}" for text in texts])
    run = subprocess.run(
        [str(python), "-c", ENCODE, str(source)], input=finals, capture_output=True, text=True, check=True
    )
    reference = np.array(json.loads(run.stdout), np.float32)
    with closing(open_encoder(EmbeddingSettings(model_path=fp32))) as encoder:
        assert encoder.identity.name == NAME
        vectors = encoder.encode_passages(texts)
    to_reference = np.sum(vectors * reference, axis=1)
    to_built = np.sum(vectors * fp32_encoder.encode_passages(texts), axis=1)
    print("to sentence-transformers", to_reference.min(), "to the built model", to_built.min())
    assert to_reference.min() >= 0.999
    assert np.median(to_built) >= 0.999


def test_nothing_is_replaced(python: Path, source: Path, fp32: Path) -> None:
    run = skillnet(python, "export", str(source), "-o", str(fp32))
    assert run.returncode == 2
    assert json.loads(run.stderr)["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        ({"modules.json": None}, "modules.json"),
        ({"1_Pooling/config.json": {"embedding_dimension": 384, "pooling_mode": "max"}}, "pools by max"),
        ({"model.safetensors": None}, "cannot load"),
    ],
    ids=["no modules", "max pooling", "no safetensors"],
)
def test_a_model_the_encoder_cannot_run_is_refused(
    python: Path, source: Path, tmp_path: Path, spoil: dict[str, Any], word: str
) -> None:
    folder, output = tmp_path / "spoilt", tmp_path / "out"
    shutil.copytree(source, folder, copy_function=os.link)
    for name, content in spoil.items():
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_text(json.dumps(content))
    run = skillnet(python, "export", str(folder), "-o", str(output))
    assert run.returncode == 1
    error = json.loads(run.stderr.strip().splitlines()[-1])["error"]
    assert error["code"] == "misconfigured"
    assert word in error["message"]
    assert [path.name for path in tmp_path.iterdir()] == ["spoilt"]


def test_a_name_without_a_way_to_the_hub(python: Path, tmp_path: Path) -> None:
    run = skillnet(python, "export", "nobody/nothing", "-o", str(tmp_path / "out"))
    assert run.returncode == 3
    assert json.loads(run.stderr.strip().splitlines()[-1])["error"]["code"] == "unavailable"
