"""A peer for the tests: every text is a chunk, and the nearest vector comes first."""

from __future__ import annotations

from benchmarks.peers.protocol import Chunk, Embeddings, Job, Reply, answer_job


def run(job: Job) -> Reply:
    """Ranks all texts by the product of the vectors."""
    embeddings = Embeddings(job.embeddings)
    vectors = embeddings.passages(job.texts)
    rankings = []
    for question in job.questions:
        asked = embeddings.query(question)
        scores = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors]
        rankings.append(sorted(range(len(vectors)), key=lambda number: -scores[number])[: job.depth])
    return Reply({"fake": "1.0"}, [Chunk(number, text) for number, text in enumerate(job.texts)], rankings)


if __name__ == "__main__":
    answer_job(run)
