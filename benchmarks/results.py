"""One measured ratio and how it is printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """`value` against `target`; `better` says on which side of the target it should lie ("above" or "below")."""

    name: str
    value: float
    unit: str
    target: float | None
    better: str
    detail: str

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return self.value >= self.target if self.better == "above" else self.value <= self.target


def print_results(results: Sequence[Result], *, as_json: bool) -> None:
    """A line a result, or one JSON array."""
    if as_json:
        sys.stdout.write(json.dumps([{**asdict(r), "met": r.met} for r in results], indent=2) + "\n")
        return
    for r in results:
        sign = ">=" if r.better == "above" else "<="
        verdict = "" if r.met is None else f"   target {sign} {r.target:g}: {'met' if r.met else 'NOT MET'}"
        print(f"{r.name:<52} {r.value:8.2f} {r.unit}{verdict}\n    {r.detail}")


def progress(text: str) -> None:
    """What is being measured now, on standard error."""
    print(f"... {text}", file=sys.stderr, flush=True)
