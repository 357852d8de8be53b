"""`skillnet organization`: its name, its consents, the sizes of its chunks, and the template of its prompts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.organizations import (
    ChunkLimits,
    ChunkLimitsChange,
    OrganizationChange,
    PromptTemplate,
)
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(
    invoke_without_command=True,
    help="Its name, its consents, the sizes of its chunks, and the template of its prompts.",
)
prompt = typer.Typer(no_args_is_help=True, help="The template of the prompts that answers are written with.")
app.add_typer(prompt, name="prompt")


@app.callback()
@reports_errors
def organization(
    context: typer.Context,
    data: DataFolder = None,
    name: Annotated[str | None, typer.Option(help="Rename it.")] = None,
    llm_consent: Annotated[
        bool | None,
        typer.Option("--llm-consent/--no-llm-consent", help="Let its text go to the configured LLM, or no longer."),
    ] = None,
    embedding_consent: Annotated[
        bool | None,
        typer.Option("--embedding-consent/--no-embedding-consent", help="The same for an embeddings API."),
    ] = None,
    rerank_consent: Annotated[
        bool | None,
        typer.Option("--rerank-consent/--no-rerank-consent", help="The same for a reranking API."),
    ] = None,
    chunk_max_tokens: Annotated[
        int | None, typer.Option(min=128, help="The most tokens of a chunk, up to the embedding model's window.")
    ] = None,
    chunk_min_tokens: Annotated[
        int | None, typer.Option(min=0, help="Texts below it are merged with their neighbours.")
    ] = None,
    chunk_overlap_sentences: Annotated[
        int | None, typer.Option(min=0, max=10, help="How many sentences of the chunk before are repeated.")
    ] = None,
    default_chunks: Annotated[
        bool, typer.Option("--default-chunks", help="Sizes of chunks as the deployment has them.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the organisation, or change its name, its consents or the sizes of its chunks.

    Sizes hold for new uploads; skillnet reprocess cuts what is there anew.
    """
    if context.invoked_subcommand is not None:
        return
    consents = {"llm": llm_consent, "embedding": embedding_consent, "rerank": rerank_consent}
    chunks: dict[str, object] = dict.fromkeys(ChunkLimitsChange.model_fields) if default_chunks else {}
    chunks |= _given(
        {
            "max_tokens": chunk_max_tokens,
            "min_tokens": chunk_min_tokens,
            "overlap_sentences": chunk_overlap_sentences,
        }
    )
    change = OrganizationChange.model_validate(
        _given({"name": name, "consents": _given(consents) or None, "chunks": chunks or None}),
    )
    with find_target(data).client() as client:
        now = client.change_organization(change) if change.model_fields_set else client.organization()
    if as_json:
        print_json(now)
        return
    rows = [
        ("text may go to an LLM", now.consents.llm),
        ("text may go to an embeddings API", now.consents.embedding),
        ("text may go to a reranking API", now.consents.rerank),
    ]
    print_table(
        ["", ""],
        [
            ("id", now.org_id),
            ("name", now.name),
            *((what, "yes" if yes else "no") for what, yes in rows),
            *_sizes(now.chunks),
        ],
    )


def _sizes(chunks: ChunkLimits) -> list[tuple[str, str]]:
    shown = {
        "max_tokens": ("most tokens of a chunk", chunks.max_tokens),
        "min_tokens": ("least tokens of a chunk", chunks.min_tokens),
        "overlap_sentences": ("sentences a chunk repeats", chunks.overlap_sentences),
    }
    return [(what, f"{size}{'' if name in chunks.own else ' (default)'}") for name, (what, size) in shown.items()]


@prompt.command()
@reports_errors
def show(data: DataFolder = None, as_json: AsJson = False) -> None:
    """Print the template that holds."""
    with find_target(data).client() as client:
        template = client.prompt_template()
    if as_json:
        print_json(template)
    else:
        console.print(escape(template.template), soft_wrap=True)


@prompt.command("set")
@reports_errors
def set_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="The template, in UTF-8.")
    ],
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Set the template. {context} and {question} must each stand in it once; {language} and {fence} may."""
    try:
        template = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{file} is not valid UTF-8.") from error
    with find_target(data).client() as client:
        _report(client.set_prompt_template(template), as_json=as_json)


@prompt.command()
@reports_errors
def reset(data: DataFolder = None, as_json: AsJson = False) -> None:
    """Go back to the system's own template."""
    with find_target(data).client() as client:
        _report(client.reset_prompt_template(), as_json=as_json)


@prompt.command()
@reports_errors
def history(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the changes of the template, last first."""
    with find_target(data).client() as client:
        versions = client.prompt_history().versions
    if as_json:
        print_json(versions)
        return
    print_table(
        ["Version", "When", "By key", "Template begins"],
        [
            (one.version, f"{one.created_at:%Y-%m-%d %H:%M}", one.created_by, _beginning(one.template))
            for one in versions
        ],
    )


def _given(values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None}


def _report(now: PromptTemplate, *, as_json: bool) -> None:
    if as_json:
        print_json(now)
    else:
        whose = "the system's own template" if now.is_default else "this template"
        console.print(f"Questions are answered with {whose} from now on (version {now.version}).")


def _beginning(template: str | None) -> str:
    return "(the system's own)" if template is None else " ".join(template.split())[:60]
