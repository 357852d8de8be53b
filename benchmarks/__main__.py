"""`python -m benchmarks [NAME...] [--json]`: each benchmark in turn, with nothing else running."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded: as the retriever has it

from benchmarks import embedding, pipeline, search, vectors
from benchmarks.results import Result, print_results

BENCHMARKS: dict[str, Callable[[], Iterator[Result]]] = {
    "embedding": embedding.measure,
    "search": search.measure,
    "vectors": vectors.measure,
    "pipeline": pipeline.measure,
}


def main() -> None:
    """Runs the named benchmarks, or all."""
    arguments = sys.argv[1:]
    names = [name for name in arguments if name != "--json"] or list(BENCHMARKS)
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    print_results([result for name in names for result in BENCHMARKS[name]()], as_json="--json" in arguments)


main()
