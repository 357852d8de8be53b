"""Memory does not grow with the number and the lengths of texts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MEASURE = """
import json, random, sys
import psutil
from skillnet_inference.factory import open_encoder
from skillnet_inference.settings import EmbeddingSettings

resident = lambda: psutil.Process().memory_info().rss / 1e6
encoder = open_encoder(EmbeddingSettings(threads=2))
choose = random.Random(7)
words = "horno masa levadura corteza miga amasar fermentar reposo tueste cliente turno".split()
text = lambda length: " ".join(choose.choices(words, k=length))
encoder.encode_passages([text(200)] * 4)
rounds = []
for _ in range(4):
    encoder.encode_passages([text(choose.randint(1, 200)) for _ in range(40)])
    rounds.append(resident())
print(json.dumps(rounds))
"""


def test_resident_memory_is_bounded(model_cache: Path) -> None:
    run = subprocess.run([sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True)
    rounds = json.loads(run.stdout)
    assert rounds[-1] < 500
    assert rounds[-1] - rounds[0] < 40
