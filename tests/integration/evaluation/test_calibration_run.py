"""A calibration from questions to the retriever that judges by it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from skillnet_common.calibration import Calibration

SKILLNET = str(Path(sys.executable).with_name("skillnet"))
OTHER_STACKS = ("DATABASE_", "NATS_", "OBJECT_STORE_", "SKILLNET_")
GOODS = ["pan", "queso", "leche", "harina", "aceite", "huevos", "azúcar", "levadura", "mantequilla", "nata"]


def test_a_small_set_of_questions_gives_a_calibration(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for place, goods in enumerate(GOODS):
        text = f"# {goods.title()}\n\nEl {goods} se guarda {place + 2} días y se repone los lunes por la mañana.\n"
        (documents / f"{place}.md").write_text(text, encoding="utf-8")
    questions: list[dict[str, Any]] = []
    for split in ("calibration", "test"):
        for place, goods in enumerate(GOODS):
            answer = {"document": f"{place}.md", "section": []}
            for asked in (f"¿Cuántos días se guarda el {goods}?", f"¿Cuándo se repone el {goods}?"):
                questions.append(entry(len(questions), asked, split, [answer]))
        for subject in ("Mongolia", "Júpiter"):
            for number in range(10):
                questions.append(
                    entry(len(questions), f"¿Qué capital tiene {subject} en {1900 + number}?", split, [])
                )
    golden, output = tmp_path / "questions.jsonl", tmp_path / "calibration.json"
    golden.write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    done = subprocess.run(
        [SKILLNET, "models", "calibrate", str(golden), "--output", str(output), "--json"],
        env={name: value for name, value in os.environ.items() if not name.startswith(OTHER_STACKS)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["cases"] == {"calibration": 40, "test": 40}
    assert report["judged_rightly"]["test"]["golden: answerable"] >= 0.8
    assert report["judged_rightly"]["test"]["golden: off_topic"] >= 0.8
    assert Calibration.model_validate_json(output.read_text()) == Calibration.model_validate(report["calibration"])


def entry(number: int, question: str, split: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"q{number}", "question": question, "slice": ["plain" if answers else "off_topic"], "language": "es",
        "answers": answers, "answerable": bool(answers), "split": split, "kind": None if answers else "off_topic",
    }  # fmt: skip
