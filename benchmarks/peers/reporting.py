"""The figures as one object, and as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.peers.comparison import Compared


def report_of(compared: Sequence[Compared]) -> dict[str, Any]:
    """Versions, how the target stands, and the figures of each corpus."""
    reports = [one.report() for one in compared]
    versions = {name: version for one in compared for name, version in one.versions.items()}
    return {"versions": versions, "target": target_of(reports), "corpora": reports}


def target_of(reports: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """On how many of the comparisons the interval lies above, at or above, and not above zero."""
    lows = [peer["difference"]["low"] for report in reports for peer in report["peers"].values()]
    return {
        "comparisons": len(lows),
        "low_above_0": sum(low > 0 for low in lows),
        "low_at_least_0": sum(low >= 0 for low in lows),
    }


def print_report(report: Mapping[str, Any]) -> None:
    """A Markdown table a corpus, and how many intervals lie above zero."""
    for corpus in report["corpora"]:
        print("\n".join(table_of(corpus)) + "\n")
    target = report["target"]
    print(
        f"Lower bound above 0 in {target['low_above_0']}, at least 0 in {target['low_at_least_0']}"
        f" of {target['comparisons']} comparisons."
    )
    print("Versions: " + ", ".join(f"{name} {version}" for name, version in sorted(report["versions"].items())))


def table_of(corpus: Mapping[str, Any]) -> list[str]:
    """The lines of a corpus' table."""
    lines = [
        f"### {corpus['corpus']}: {corpus['questions']} questions, {corpus['documents']} documents",
        "",
        "| | chunks | nDCG@10 | ours minus theirs | 95 % interval | ours / theirs ahead |",
        "|---|--:|--:|--:|---|---|",
    ]
    lines += [f"| **ours**, {name} | | {value:.4f} | | | |" for name, value in corpus["ours"].items()]
    for name, peer in corpus["peers"].items():
        own = peer["difference"]
        lines.append(
            f"| {name} | {peer['chunks']} | {peer['ndcg@10']:.4f} | {own['mean']:+.4f}"
            f" | {own['low']:+.4f} to {own['high']:+.4f} | {own['ours_ahead']} / {own['theirs_ahead']} |"
        )
    lines += [f"| {name} | | failed | | | |" for name in corpus["failed"]]
    return lines
