"""An evaluation from files to figures, through a stack of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skillnet_cli.local.temporary import temporary_folder

SKILLNET = str(Path(sys.executable).with_name("skillnet"))
EXAMPLES = Path(__file__).parents[3] / "examples" / "documents"
DOCUMENTS = ("politica-de-devoluciones.pdf", "calendario-y-turnos-2026.md", "apertura-y-cierre.txt")
FIGURES = {"recall@1", "recall@5", "recall@10", "recall@20", "mrr@10", "ndcg@10", "page_accuracy"}
OTHER_STACKS = ("DATABASE_", "NATS_", "OBJECT_STORE_", "SKILLNET_")


def question(name: str, text: str, slice_: str, **answer: Any) -> dict[str, Any]:
    answers = [{"section": [], **answer}] if answer else []
    kind = {} if answer else {"kind": "off_topic"}
    return {
        "id": name, "question": text, "slice": [slice_], "language": "es", "answers": answers, "answer": None,
        "answerable": bool(answer), "split": "test", **kind,
    }  # fmt: skip


RETURNS = {"document": "politica-de-devoluciones.pdf"}
QUESTIONS = [
    question("1", "¿Cuánto dura un vale de compra?", "plain", **RETURNS, page=2, quote="vale"),
    question("2", "¿En qué casos se devuelve el dinero?", "plain", **RETURNS, pages=[1, 3]),
    question("3", "¿Cuánto dura un bale de conpra?", "misspelt", **RETURNS, page=2),
    question("4", "¿Qué se hace al cerrar la tienda?", "plain", document="apertura-y-cierre.txt"),
    question("5", "¿Qué días son festivos en 2026?", "plain", document="calendario-y-turnos-2026.md"),
    question("6", "¿Cuál es la capital de Mongolia?", "off_topic"),
]


def skillnet_eval(*arguments: str, seconds: float = 250) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(OTHER_STACKS)}
    return subprocess.run(
        [SKILLNET, "eval", *arguments], env=own, capture_output=True, text=True, timeout=seconds, check=False
    )


def test_golden_questions_give_one_object_of_figures(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name in DOCUMENTS:
        shutil.copy(EXAMPLES / name, documents)
    golden, details = tmp_path / "questions.jsonl", tmp_path / "details.jsonl"
    golden.write_text("\n".join(json.dumps(one) for one in QUESTIONS), encoding="utf-8")
    done = skillnet_eval(str(golden), "--json", "--details", str(details), "--fail-under", "recall@10=0.5")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["dataset"], report["questions"], report["documents"]) == ("golden", 6, 3)
    assert {"semantic", "keyword", "hybrid"} <= report["configurations"].keys()
    for figures in report["configurations"].values():
        assert figures.keys() >= FIGURES
        assert figures["search_ms"].keys() == {"p50", "p95"}
        assert figures["questions"] == 4  # neither the misspelt nor the unanswerable one
        assert figures["slices"].keys() == {"plain", "misspelt", "off_topic"}
        assert figures["slices"]["misspelt"].keys() >= FIGURES
    hybrid = report["configurations"]["hybrid"]
    assert hybrid["recall@20"] == 1.0
    assert 0 < hybrid["ndcg@10"] <= 1.0
    assert hybrid["no_answer_accuracy"] == 1.0
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    assert len(lines) == len(QUESTIONS) * len(report["configurations"])
    first = next(line for line in lines if line["configuration"] == "hybrid" and line["id"] == "1")
    assert first["cited"][0]["document"] == RETURNS["document"]
    assert first["rung"] == "chunks"


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_paragraphs_of_xquad_are_found(shared_data: Path) -> None:
    """What the fusion reached when its weights were chosen was .981; without the words it is .957."""
    with temporary_folder("skillnet-eval-test") as folder:
        arguments = [
            "--squad",
            str(shared_data / "xquad" / "xquad.es.json"),
            "--data",
            str(folder / "data"),
            "--json",
        ]
        done = skillnet_eval(*arguments, seconds=1400)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["questions"], report["documents"]) == (1190, 240)
    assert report["configurations"]["hybrid"]["ndcg@10"] >= 0.975
