"""What parser, chunker and embedder would write of a version, in short."""

from __future__ import annotations

from uuid import NAMESPACE_URL, UUID, uuid5

from skillnet_common.database import Database
from skillnet_common.documents.parsed import Block, BlockKind, ParsedDocument, Section
from skillnet_common.versions.contents import save_parsed

PAGE_LABELS = ("i", "ii", "1")


def parsed_document() -> ParsedDocument:
    """Three pages: a preface, a chapter and a part of it."""
    texts = ["Prólogo.", "Devoluciones", "Treinta días.", "Sin recibo", "Un vale de compra."]
    starts = [sum(len(text) + 2 for text in texts[:at]) for at in range(len(texts))]
    spans = [(start, start + len(text)) for start, text in zip(starts, texts, strict=True)]
    kinds = [BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.PARAGRAPH]
    owners = [0, 1, 1, 2, 2]
    return ParsedDocument(
        text="\n\n".join(texts),
        lines=(),
        blocks=tuple(Block(kind, *span, owner) for kind, span, owner in zip(kinds, spans, owners, strict=True)),
        sections=(
            Section(0, "raiz", None, 0, "", (), *spans[0], 1, 1),
            Section(1, "dev", 0, 1, "Devoluciones", ("Devoluciones",), spans[1][0], spans[2][1], 2, 2),
            Section(2, "recibo", 1, 2, "Sin recibo", ("Devoluciones", "Sin recibo"), spans[3][0], spans[4][1], 2, 3),
        ),
        file_type="pdf",
        page_count=3,
        page_count_estimated=False,
        language="es",
        page_labels=PAGE_LABELS,
    )


async def read_version(database: Database, org: UUID, document_id: str, version: int, *, chunks: int = 0) -> None:
    """Leaves the version `parsed`, or `embedding` with this many chunks."""
    async with database.tenant(org) as connection:
        await save_parsed(connection, org, UUID(document_id), version, parsed_document())
        if not chunks:
            return
        await connection.execute(
            "INSERT INTO document_chunks (org_id, chunk_id, document_id, version, chunk_index, chunk_total, kind,"
            " section_index, section_id, section_path, heading, header, body, char_start, char_end, overlap_chars,"
            " page_start, page_end, boxes, token_count, language, content_hash, embed_hash)"
            " SELECT $1, c.id, $2, $3, c.i, $4, 'paragraph', 2, 'recibo', ARRAY['Devoluciones', 'Sin recibo'],"
            " 'Sin recibo', 'Manual > Sin recibo', 'Un vale ' || c.i, c.i * 10, c.i * 10 + 5, 3, 2, 3,"
            " '[[2, 0.1, 0.2, 0.9, 0.25]]'::jsonb, 12, 'es', sha256('x'), sha256(('x' || c.i)::bytea)"
            " FROM unnest($5::uuid[]) WITH ORDINALITY AS u (id, n), LATERAL (SELECT u.id, (u.n - 1)::int AS i) c",
            org,
            UUID(document_id),
            version,
            chunks,
            [chunk_id(document_id, version, index) for index in range(chunks)],
        )
        await connection.execute(
            "UPDATE document_versions SET state = 'embedding', expected_chunks = $4"
            " WHERE org_id = $1 AND document_id = $2 AND version = $3",
            org,
            UUID(document_id),
            version,
            chunks,
        )


def chunk_id(document_id: str, version: int, index: int) -> UUID:
    """The id of a chunk that `read_version` writes."""
    return uuid5(NAMESPACE_URL, f"{document_id} {version} {index}")
