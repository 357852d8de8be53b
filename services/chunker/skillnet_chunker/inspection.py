"""The chunks of one document without any server: `python -m skillnet_chunker.inspection TITLE`.

Reads a parsed document (see `skillnet_common.documents.codec`) on standard input and prints a JSON object of its
`chunks` and of the spans of its text in none of them, `unindexed` with their reasons, cut under this environment's
`CHUNK_*` and `EMBEDDING_*` settings as the service would.
"""

from __future__ import annotations

import dataclasses
import json
import sys

from skillnet_chunker.domain import chunk_document, unindexed
from skillnet_chunker.sizes import rules_for
from skillnet_common.chunk_sizes import OwnSizes
from skillnet_common.documents.codec import document_from_json
from skillnet_common.settings import ChunkSettings
from skillnet_inference.factory import model_identity, open_tokenizer
from skillnet_inference.settings import EmbeddingSettings


def main(title: str) -> None:
    """Writes to standard output."""
    embedding = EmbeddingSettings()
    document = document_from_json(sys.stdin.buffer.read())
    rules = rules_for(ChunkSettings(), model_identity(embedding))
    options = rules.options(rules.sizes(OwnSizes()))
    chunks = chunk_document(document, title=title, tokens=open_tokenizer(embedding), options=options)
    cut = {
        "chunks": [dataclasses.asdict(chunk) for chunk in chunks],
        "unindexed": [dataclasses.asdict(span) for span in unindexed(document, chunks)],
    }
    sys.stdout.write(json.dumps(cut, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1])
