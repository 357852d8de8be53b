"""Haystack: its splitter, BM25 and embedding retrievers over the in-memory store, joined by rank or distribution.

Its BM25 in memory knows no stems and no stop words: the language is a setting of its sentences alone.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path


def _carried_by_llama_index(name: str) -> str:
    """What LlamaIndex carries of tiktoken and NLTK serves here too: nothing is downloaded."""
    spec = find_spec("llama_index.core")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "_static" / name)


os.environ["TIKTOKEN_CACHE_DIR"] = _carried_by_llama_index("tiktoken_cache")
os.environ["NLTK_DATA"] = _carried_by_llama_index("nltk_cache")
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document, Pipeline  # noqa: E402 - reads the environment
from haystack.components.joiners import DocumentJoiner  # noqa: E402
from haystack.components.preprocessors import DocumentSplitter, RecursiveDocumentSplitter  # noqa: E402
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever  # noqa: E402
from haystack.document_stores.in_memory import InMemoryDocumentStore  # noqa: E402

from benchmarks.peers.protocol import Chunk, Embeddings, Job, Reply, answer_job  # noqa: E402

_OVERLAP_SHARE = 8  # an eighth of the chunk where its length is given


def _cut(texts: list[str], chunk_tokens: int | None, language: str) -> list[Chunk]:
    splitter = (
        DocumentSplitter()
        if chunk_tokens is None
        else RecursiveDocumentSplitter(
            split_length=chunk_tokens,
            split_overlap=chunk_tokens // _OVERLAP_SHARE,
            split_unit="token",
            sentence_splitter_params={"language": language, "keep_white_spaces": True},
        )
    )
    splitter.warm_up()
    documents = [Document(content=text, meta={"text": number}) for number, text in enumerate(texts)]
    cut = splitter.run(documents=documents)["documents"]
    return [Chunk(document.meta["text"], document.content) for document in cut]


def run(job: Job) -> Reply:
    """Finds what the job asks for."""
    chunks = _cut(job.texts, job.chunk_tokens, job.language)
    embeddings = Embeddings(job.embeddings)
    vectors = embeddings.passages([chunk.body for chunk in chunks])
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(
        [
            Document(content=chunk.body, meta={"chunk": number}, embedding=vector)
            for number, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True))
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store, top_k=job.depth))
    pipeline.add_component("meaning", InMemoryEmbeddingRetriever(store, top_k=job.depth))
    pipeline.add_component("joiner", DocumentJoiner(join_mode=job.fusion, top_k=job.depth))
    pipeline.connect("words", "joiner")
    pipeline.connect("meaning", "joiner")
    rankings = []
    for question in job.questions:
        asked = {"words": {"query": question}, "meaning": {"query_embedding": embeddings.query(question)}}
        found = pipeline.run(asked)["joiner"]["documents"]
        rankings.append([document.meta["chunk"] for document in found])
    return Reply({"haystack-ai": version("haystack-ai")}, chunks, rankings)


if __name__ == "__main__":
    answer_job(run)
