"""`skillnet models`: what embeds, and models of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from skillnet_cli.commands.calibrate import calibrate
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table, progress_console
from skillnet_inference.export.to_onnx import export_model
from skillnet_inference.export.verification import Comparison, verify_model
from skillnet_inference.factory import model_identity, prepare_model
from skillnet_inference.identity import Provider
from skillnet_inference.inventory import KnownModel, known_models
from skillnet_inference.model_store import Progress as Report
from skillnet_inference.precision import Precision
from skillnet_inference.settings import EmbeddingSettings

app = typer.Typer(no_args_is_help=True, help="Embedding models.")
app.command()(calibrate)


@app.command("list")
@reports_errors
def list_models(as_json: AsJson = False) -> None:
    """The configured model, and the others that are built on this machine."""
    models = known_models(EmbeddingSettings())
    if as_json:
        print_json([_listed(model) for model in models])
        return
    print_table(
        ("", "Model", "Fingerprint", "Dimension", "Window", "Precision", "Provider", "State", "Where"),
        [
            (
                "*" if model.configured else "",
                model.identity.name,
                model.identity.fingerprint[:12],
                model.identity.dimension,
                model.identity.window,
                model.identity.precision,
                model.identity.provider,
                model.state,
                model.place,
            )
            for model in models
        ],
    )


@app.command()
@reports_errors
def prepare(as_json: AsJson = False) -> None:
    """Build the configured model into the cache, or find it there."""
    settings = EmbeddingSettings()
    with _progress("Preparing the model", hidden=as_json) as report:
        folder = prepare_model(settings, report)
    identity = model_identity(settings)
    if as_json:
        print_json({"model": identity.slug, "dimension": identity.dimension, "folder": str(folder)})
    else:
        console.print(f"{identity.slug} ({identity.dimension} dimensions) is ready in {escape(str(folder))}")


@app.command()
@reports_errors
def export(
    source: Annotated[str, typer.Argument(help="A folder of sentence-transformers, or owner/name on the hub.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write; a new one.")],
    precision: Annotated[Precision, typer.Option(help="int8: smaller and faster; fp32: exact.")] = Precision.FP32,
    name: Annotated[str | None, typer.Option(help="The model's name; otherwise the source's.")] = None,
    query_prefix: Annotated[str | None, typer.Option(help="Otherwise the source's own.")] = None,
    passage_prefix: Annotated[str | None, typer.Option(help="Otherwise the source's own.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a model as a folder for EMBEDDING_MODEL_PATH. Needs the extra `export`."""
    with _progress("Exporting the model", hidden=as_json) as report:
        export_model(
            source, output, precision, report, name=name, query_prefix=query_prefix, passage_prefix=passage_prefix
        )
    identity = model_identity(EmbeddingSettings(provider=Provider.LOCAL, model_path=output))
    if as_json:
        print_json(
            {
                "model": identity.slug,
                "fingerprint": identity.fingerprint,
                "dimension": identity.dimension,
                "window": identity.window,
                "pooling": identity.pooling,
                "precision": identity.precision,
                "query_prefix": identity.query_prefix,
                "passage_prefix": identity.passage_prefix,
                "folder": str(output),
            }
        )
        return
    console.print(
        f"{identity.slug}: {identity.dimension} dimensions, {identity.window} tokens, pooled by {identity.pooling},"
        f" prefixes {escape(repr(identity.query_prefix))} and {escape(repr(identity.passage_prefix))}."
    )
    console.print(f"Check it: skillnet models verify {escape(str(output))} --against {escape(source)}")


@app.command()
@reports_errors
def verify(
    folder: Annotated[Path, typer.Argument(help="A folder with model.onnx, tokenizer.json and model.json.")],
    against: Annotated[
        str | None, typer.Option(help="The source, which sentence-transformers runs. Needs the extra `export`.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a model folder, and compare its vectors with those of its source; exit code 1 where they differ."""
    with _progress("Verifying the model", hidden=as_json) as report:
        found = verify_model(folder, against, report)
    if as_json:
        print_json(
            {
                "model": found.identity.slug,
                "texts": found.texts,
                "passed": found.passed,
                "comparison": _compared(found.comparison),
            }
        )
    else:
        console.print(f"{found.identity.slug} is whole and embeds {found.texts} texts.")
        if found.comparison is not None:
            _print_comparison(found.comparison)
    if not found.passed:
        raise typer.Exit(Exit.FAILED)


def _listed(model: KnownModel) -> dict[str, object]:
    identity = model.identity
    return {
        "model": identity.slug,
        "name": identity.name,
        "fingerprint": identity.fingerprint,
        "dimension": identity.dimension,
        "window": identity.window,
        "precision": identity.precision,
        "provider": identity.provider,
        "configured": model.configured,
        "state": model.state,
        "where": model.place,
    }


def _compared(comparison: Comparison | None) -> dict[str, object] | None:
    if comparison is None:
        return None
    return {
        "mean_cosine": comparison.mean_cosine,
        "min_cosine": comparison.min_cosine,
        "least_allowed": comparison.least_allowed,
        "worst": comparison.worst,
    }


def _print_comparison(comparison: Comparison) -> None:
    verdict = "the same vectors" if comparison.passed else "other vectors"
    console.print(
        f"Against sentence-transformers: {verdict}; cosine {comparison.mean_cosine:.5f} on average,"
        f" {comparison.min_cosine:.5f} at least ({comparison.least_allowed:g} is needed)."
    )
    console.print(f"Furthest apart: {escape(repr(comparison.worst))}")


@contextmanager
def _progress(what: str, *, hidden: bool) -> Iterator[Report]:
    with Progress(console=progress_console, transient=True, disable=hidden) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda done, step: progress.update(task, completed=done, description=step)
