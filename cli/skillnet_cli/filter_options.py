"""What narrows a list of documents or a search, and how passages are found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

import typer

from skillnet_cli.document_options import read_instant, read_metadata
from skillnet_cli.target import find_document
from skillnet_client import SkillnetClient
from skillnet_common.contracts.retrieval import MAX_PAGE, Filters, Fusion, Strategy, TokenEncoding

TokenBudget = Annotated[
    int, typer.Option("--token-budget", min=100, max=200_000, help="At most so many tokens of context.")
]
Encoding = Annotated[
    TokenEncoding, typer.Option("--token-encoding", help="How the tokens of the context are counted.")
]
AllowGeneral = Annotated[
    bool,
    typer.Option(
        "--general/--no-general", help="Whether an answer may stand on general knowledge where no passage holds it."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentNarrowing:
    """Which documents; all that is given must hold."""

    course: Annotated[str | None, typer.Option(help="Only documents of this course.")] = None
    subject: Annotated[str | None, typer.Option(help="Only documents of this subject.")] = None
    entity: Annotated[str | None, typer.Option(help="Only documents of this entity.")] = None
    taxonomy: Annotated[str | None, typer.Option(help="Only documents at this place of the taxonomy, or below.")] = (
        None
    )
    language: Annotated[str | None, typer.Option(help="Only documents in this language (ISO 639-1).")] = None
    file_type: Annotated[
        str | None, typer.Option("--type", help="pdf, docx, pptx, xlsx, html, csv, markdown or text.")
    ] = None
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Only documents whose metadata say so; repeatable.")
    ] = None
    updated_after: Annotated[
        str | None, typer.Option(metavar="DATE", help="In ISO 8601; UTC unless it names a zone.")
    ] = None
    updated_before: Annotated[str | None, typer.Option(metavar="DATE", help="As --updated-after.")] = None

    @property
    def after(self) -> datetime | None:
        """From when on. Raises BadParameter for what is no date."""
        return read_instant(self.updated_after) if self.updated_after else None

    @property
    def before(self) -> datetime | None:
        """Until when. Raises BadParameter for what is no date."""
        return read_instant(self.updated_before) if self.updated_before else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNarrowing(DocumentNarrowing):
    """Which documents, and which parts of them."""

    document: Annotated[
        list[str] | None, typer.Option(help="Only this document, by id, key or path; repeatable.")
    ] = None
    section_path: Annotated[
        list[str] | None,
        typer.Option(metavar="HEADING", help="Only under this top heading; repeat it for those below."),
    ] = None
    page_from: Annotated[int | None, typer.Option(min=1, max=MAX_PAGE, help="Only from this page on.")] = None
    page_to: Annotated[int | None, typer.Option(min=1, max=MAX_PAGE, help="Only up to this page.")] = None

    def filters(self, client: SkillnetClient) -> Filters:
        """As the gateway takes them; `client` finds the documents that are named."""
        ids = [find_document(client, name).document_id for name in self.document or ()]
        return Filters(
            document_ids=ids or None,
            course_id=self.course,
            subject_id=self.subject,
            entity_id=self.entity,
            taxonomy_prefix=self.taxonomy,
            language=self.language,
            file_type=self.file_type,
            section_path=self.section_path or None,
            page_from=self.page_from,
            page_to=self.page_to,
            updated_after=self.after,
            updated_before=self.before,
            metadata=read_metadata(self.metadata),
        )


Earlier = Annotated[
    list[str] | None,
    typer.Option(help="A question asked before, which this one leans on; repeatable, oldest first."),
]
"""The conversation so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How passages are found, and how many."""

    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="At most so many passages.")] = 8
    strategy: Annotated[Strategy, typer.Option(help="How passages are found.")] = Strategy.AUTO
    fusion: Annotated[Fusion, typer.Option(help="How the two rankings are merged.")] = Fusion.COVERAGE
    alpha: Annotated[float, typer.Option(min=0, max=1, help="0: keyword only, 1: semantic only.")] = 0.5
    late_interaction: Annotated[
        bool | None, typer.Option(help="Order the first passages by their tokens too (where they are kept).")
    ] = None
    rerank: Annotated[
        bool | None, typer.Option(help="Let a reranker order the first passages (where there is one).")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What is asked beside the question itself."""

    earlier: Earlier = None
    variants: Annotated[
        list[str] | None, typer.Option("--variant", help="Another wording, searched too; repeatable.")
    ] = None
    outline_parts: Annotated[
        list[str] | None,
        typer.Option("--part", help="A part of the outline to read, by its id; repeatable.", show_default="by words"),
    ] = None

    @property
    def fields(self) -> dict[str, Any]:
        """Those that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}
