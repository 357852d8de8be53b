"""txtai: hybrid index of vectors and BM25 terms with stop words of the language (it has no stems).

It cuts nothing by itself: without a length of chunks the texts stay whole, with one LlamaIndex's splitter cuts them.
"""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from bm25s.stopwords import STOPWORDS_EN, STOPWORDS_SPANISH
from txtai import Embeddings as Index

from benchmarks.peers.programs.llama_index_hybrid import cut_sentences
from benchmarks.peers.protocol import Chunk, Embeddings, Job, Kind, Reply, answer_job

_STOP_WORDS = {"es": STOPWORDS_SPANISH, "en": STOPWORDS_EN}


def run(job: Job) -> Reply:
    """Finds what the job asks for."""
    chunks = (
        [Chunk(number, text) for number, text in enumerate(job.texts)]
        if job.chunk_tokens is None
        else cut_sentences(job.texts, job.chunk_tokens)[1]
    )
    embeddings = Embeddings(job.embeddings)

    def transform(texts: list[str]) -> np.ndarray:
        """The vectors; the instruction before each text says of which kind it is."""
        kinds, bodies = zip(*(text.split(" ", 1) for text in texts), strict=True)
        if set(kinds) == {Kind.QUERY}:
            return np.array([embeddings.query(body) for body in bodies])
        return np.array(embeddings.passages(bodies))

    index = Index(
        {
            "method": "external",
            "transform": transform,
            "instructions": {"query": f"{Kind.QUERY} ", "data": f"{Kind.PASSAGE} "},
            "scoring": {
                "method": "bm25",
                "terms": True,
                "normalize": job.fusion,
                "tokenizer": {"stopwords": list(_STOP_WORDS[job.language])},
            },
        }
    )
    index.index((number, chunk.body, None) for number, chunk in enumerate(chunks))
    rankings = [[int(number) for number, _ in index.search(question, job.depth)] for question in job.questions]
    return Reply({name: version(name) for name in ("txtai", "faiss-cpu")}, chunks, rankings)


if __name__ == "__main__":
    answer_job(run)
