"""Random documents of any shape, cut with the tokenizer of the embedding model."""

from __future__ import annotations

from functools import cache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.chunker.chunk_checks import check_chunks
from tests.unit.chunker.conftest import DocumentBuilder
from tests.unit.chunker.random_documents import Part, parts, titles, wide_tables

from skillnet_chunker.domain import chunk_document, content_hash, embed_hash
from skillnet_chunker.sizes import ChunkRules, rules_for
from skillnet_common.chunk_sizes import OwnSizes
from skillnet_common.documents import BlockKind
from skillnet_common.settings import ChunkSettings
from skillnet_inference.factory import model_identity, open_tokenizer
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer

FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])

own_sizes = st.builds(
    OwnSizes,
    max_tokens=st.none() | st.sampled_from([128, 129, 200, 384, 512, 32_768]),
    min_tokens=st.none() | st.sampled_from([0, 1, 127, 32_768]),
    overlap_sentences=st.none() | st.integers(0, 10),
)


@cache
def tokenizer() -> Tokenizer:
    return open_tokenizer(EmbeddingSettings())


@cache
def rules() -> ChunkRules:
    return rules_for(ChunkSettings(), model_identity(EmbeddingSettings()))


@FEW
@given(parts=parts, title=titles, own=own_sizes)
def test_whatever_an_organisation_sets_no_input_is_over_the_window_and_nothing_is_lost(
    parts: list[Part], title: str, own: OwnSizes
) -> None:
    parsed = DocumentBuilder(None).build(parts)
    sizes = rules().sizes(own)
    options = rules().options(sizes)
    chunks = chunk_document(parsed, title=title, tokens=tokenizer(), options=options)
    check_chunks(parsed, chunks, options, tokenizer())
    assert options.window <= rules().window
    again = chunk_document(DocumentBuilder(None).build(parts), title=title, tokens=tokenizer(), options=options)
    assert [(content_hash(chunk.body), embed_hash(options.model_input(chunk))) for chunk in again] == [
        (content_hash(chunk.body), embed_hash(options.model_input(chunk))) for chunk in chunks
    ]


@FEW
@given(table=wide_tables, lead=titles, own=own_sizes, lines_per_page=st.integers(1, 9))
def test_pieces_of_tables_have_the_boxes_of_their_own_rows_alone(
    table: str, lead: str, own: OwnSizes, lines_per_page: int
) -> None:
    blocks = [(BlockKind.PARAGRAPH, lead.strip() or "Tarifas"), (BlockKind.TABLE, table)]
    parsed = DocumentBuilder(lines_per_page).build([(1, "Tarifas", blocks)])
    options = rules().options(rules().sizes(own))
    chunks = chunk_document(parsed, title="Manual", tokens=tokenizer(), options=options)
    check_chunks(parsed, chunks, options, tokenizer())
    for chunk in chunks:
        lines = [line for line in parsed.lines if line.start < chunk.end and line.end > chunk.start]
        assert list(chunk.boxes) == [line.box for line in lines]
        assert (chunk.page_start, chunk.page_end) == (lines[0].box.page, lines[-1].box.page)
