"""`skillnet models prepare`: build the embedding model before it is needed."""

from __future__ import annotations

import typer
from rich.progress import Progress

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, progress_console
from skillnet_inference.factory import model_identity, prepare_model
from skillnet_inference.settings import EmbeddingSettings

app = typer.Typer(no_args_is_help=True, help="Embedding models.")


@app.command()
@reports_errors
def prepare(as_json: AsJson = False) -> None:
    """Build the configured model into the cache, or find it there."""
    settings = EmbeddingSettings()
    with Progress(console=progress_console, transient=True, disable=as_json) as progress:
        task = progress.add_task("Preparing the model", total=1.0)
        folder = prepare_model(settings, lambda done, what: progress.update(task, completed=done, description=what))
    identity = model_identity(settings)
    if as_json:
        print_json({"model": identity.slug, "dimension": identity.dimension, "folder": str(folder)})
    else:
        console.print(f"{identity.slug} ({identity.dimension} dimensions) is ready in {escape(str(folder))}")
