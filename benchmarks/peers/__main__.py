"""`python -m benchmarks.peers [--corpus NAME] [--questions N] [--json]`: ours against the peers."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded: as the retriever has it

from benchmarks.peers.corpora import NAMES, read_corpus
from benchmarks.peers.environment import ROOT, command_of, prepare_environment
from benchmarks.peers.reporting import print_report, report_of
from benchmarks.peers.running import compare
from benchmarks.peers.systems import settings


def main() -> None:
    """Reads the corpora, asks ours and the peers, and prints the figures."""
    arguments = _arguments()
    corpora = [read_corpus(name, arguments.shared_data, arguments.questions) for name in arguments.corpus or NAMES]
    python = prepare_environment()
    compared = compare(
        corpora, list(settings()), lambda system: command_of(python, system.program), arguments.scratch.absolute()
    )
    report = report_of(list(compared))
    if arguments.json:
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    else:
        print_report(report)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--corpus", action="append", choices=NAMES, help="only this one; repeatable")
    parser.add_argument("--questions", type=int, help="so many of each corpus, evenly spread; all by default")
    parser.add_argument(
        "--shared-data",
        type=Path,
        default=Path(os.environ.get("SKILLNET_SHARED_DATA", ROOT.parent / "shared" / "data")),
        help="the folder of XQuAD and the others; only golden needs none",
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        default=ROOT / ".skillnet" / "peers",
        help="where vectors, loaded documents and the peers' replies are kept for the next run",
    )
    parser.add_argument("--json", action="store_true", help="one object and nothing else on standard output")
    return parser.parse_args()


main()
