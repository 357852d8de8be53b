"""Run by the reference's own interpreter: encodes texts with sentence-transformers (torch float32).

usage: sentence_transformers_encode.py MODEL_FOLDER TEXTS.json -> one JSON object on standard output
"""

import json
import sys
import time
from pathlib import Path

from sentence_transformers import SentenceTransformer

folder, texts_file = sys.argv[1:3]
texts = ["passage: " + text for text in json.loads(Path(texts_file).read_text(encoding="utf-8"))]
model = SentenceTransformer(folder, device="cpu")
model.encode(texts[:8], normalize_embeddings=True)
seconds = {}
for batch_size in (8, 32):
    begun = time.perf_counter()
    vectors = model.encode(texts, batch_size=batch_size, normalize_embeddings=True)
    seconds[batch_size] = time.perf_counter() - begun
print(json.dumps({"seconds": seconds, "first": vectors[0].tolist()}))
