"""LlamaIndex: sentence splitter, vector index and BM25 with the stems and stop words of the language, joined."""

from __future__ import annotations

from importlib.metadata import version

import Stemmer
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import BaseNode
from llama_index.retrievers.bm25 import BM25Retriever
from pydantic import PrivateAttr

from benchmarks.peers.protocol import Chunk, Embeddings, Job, Reply, answer_job

_OVERLAP_SHARE = 8  # an eighth of the chunk where its length is given
_STEMMERS = {"es": "spanish", "en": "english"}


class GivenEmbedding(BaseEmbedding):  # type: ignore[misc]  # absent where types are checked
    """The vectors of the job's address."""

    _embeddings: Embeddings = PrivateAttr()

    def __init__(self, embeddings: Embeddings) -> None:
        super().__init__(model_name="given", embed_batch_size=64)
        self._embeddings = embeddings

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embeddings.query(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._embeddings.query(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embeddings.passages([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embeddings.passages(texts)


def cut_sentences(texts: list[str], chunk_tokens: int | None) -> tuple[list[BaseNode], list[Chunk]]:
    """Nodes and chunks of the sentence splitter; without a length of the one it has by itself."""
    splitter = (
        SentenceSplitter()
        if chunk_tokens is None
        else SentenceSplitter(chunk_size=chunk_tokens, chunk_overlap=chunk_tokens // _OVERLAP_SHARE)
    )
    documents = [Document(text=text, doc_id=str(number)) for number, text in enumerate(texts)]
    nodes = splitter.get_nodes_from_documents(documents)
    return nodes, [Chunk(int(node.ref_doc_id or ""), node.get_content()) for node in nodes]


def run(job: Job) -> Reply:
    """Finds what the job asks for."""
    nodes, chunks = cut_sentences(job.texts, job.chunk_tokens)
    numbers = {node.node_id: number for number, node in enumerate(nodes)}
    index = VectorStoreIndex(nodes, embed_model=GivenEmbedding(Embeddings(job.embeddings)))
    depth = min(job.depth, len(nodes))
    fusion = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=depth),
            BM25Retriever.from_defaults(
                nodes=nodes,
                stemmer=Stemmer.Stemmer(_STEMMERS[job.language]),
                language=job.language,
                similarity_top_k=depth,
            ),
        ],
        llm=MockLLM(),
        mode=job.fusion,
        num_queries=1,  # the question as it is
        similarity_top_k=depth,
        use_async=False,
    )
    rankings = [[numbers[found.node.node_id] for found in fusion.retrieve(question)] for question in job.questions]
    versions = {name: version(name) for name in ("llama-index-core", "llama-index-retrievers-bm25", "bm25s")}
    return Reply(versions, chunks, rankings)


if __name__ == "__main__":
    answer_job(run)
