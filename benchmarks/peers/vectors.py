"""One address that gives every peer the vectors of our own encoder, each text embedded once and kept on disk."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from benchmarks.peers.protocol import Kind
from skillnet_inference.encoder import Encoder
from skillnet_inference.tokenizer import cut_to_window
from skillnet_inference.vectors import Vectors

_PATH = "/embeddings"


class KeptVectors:
    """The encoder's vectors, remembered in a file. Texts beyond the window are cut, as the peers' encoders do."""

    def __init__(self, encoder: Encoder, file: Path) -> None:
        self._encoder = encoder
        self._lock = threading.Lock()
        file.parent.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(file, check_same_thread=False)
        self._store.execute("CREATE TABLE IF NOT EXISTS vectors (name TEXT PRIMARY KEY, vector BLOB NOT NULL)")

    def encode(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        """Unit vectors, float32 [texts, dimension]."""
        names = [self._name(kind, text) for text in texts]
        with self._lock:
            known = {name: vector for name in set(names) if (vector := self._kept(name)) is not None}
            missing = {name: text for name, text in zip(names, texts, strict=True) if name not in known}
            if missing:
                known |= zip(missing, self._encode(kind, list(missing.values())), strict=True)
                rows = [(name, known[name].astype(np.float32).tobytes()) for name in missing]
                self._store.executemany("INSERT INTO vectors VALUES (?, ?)", rows)
                self._store.commit()
        return np.stack([known[name] for name in names])

    def close(self) -> None:
        """Closes the file; the encoder stays its owner's."""
        self._store.close()

    def _name(self, kind: Kind, text: str) -> str:
        return sha256(f"{self._encoder.identity.fingerprint}\0{kind}\0{text}".encode()).hexdigest()

    def _kept(self, name: str) -> Vectors | None:
        row = self._store.execute("SELECT vector FROM vectors WHERE name = ?", (name,)).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

    def _encode(self, kind: Kind, texts: list[str]) -> Sequence[Vectors]:
        if kind is Kind.QUERY:
            return [self._encoder.encode_query(self._encoder.fit_query(text)[0]) for text in texts]
        identity = self._encoder.identity
        fitting = [
            cut_to_window(self._encoder.tokenizer, text, identity.passage_prefix, identity.window)[0]
            for text in texts
        ]
        return list(self._encoder.encode_passages(fitting))


@contextmanager
def serve_vectors(vectors: KeptVectors) -> Iterator[str]:
    """The address, on this machine alone, at which `protocol.Embeddings` gets the vectors."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found = vectors.encode(Kind(asked["kind"]), asked["texts"])
            body = json.dumps({"vectors": found.tolist()}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: there are thousands of requests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{_PATH}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
