"""Ours through running services against a peer in a process of its own, on five documents."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.peers.corpora import PeerCorpus, texts_of
from benchmarks.peers.running import compare
from benchmarks.peers.systems import Setting, System

from skillnet_cli.local.temporary import temporary_folder
from skillnet_evaluation.questions import Answer, Dataset, Question, SourceDocument

FAKE = Path(__file__).with_name("fake_peer.py")
EXAMPLES = Path(__file__).parents[3] / "examples" / "documents"
TEXTS = {
    "pan": "El pan se hornea cada mañana a las seis y se retira a las ocho de la tarde.",
    "caja": "La caja fuerte se abre con dos llaves, que guardan la encargada y su suplente.",
    "turnos": "Los turnos de agosto se reparten en junio, y se cambian de acuerdo con el equipo.",
    "frio": "La cámara frigorífica se mantiene a cuatro grados y se revisa dos veces al día.",
}
PAGED = "politica-de-devoluciones.pdf"


def corpus() -> PeerCorpus:
    documents = [SourceDocument(key, f"{key}.txt", text.encode()) for key, text in TEXTS.items()]
    documents.append(SourceDocument(PAGED, PAGED, EXAMPLES / PAGED))
    questions = [
        Question("1", "¿A qué hora se hornea el pan?", (Answer("pan", quote=TEXTS["pan"]),)),
        Question("2", "¿Quién guarda las llaves de la caja?", (Answer("caja", quote=TEXTS["caja"]),)),
        Question("3", "¿Cuánto dura un vale de compra?", (Answer(PAGED, pages=(2, 2)),)),
    ]
    texts = tuple(text for document in documents for text in texts_of(document))
    return PeerCorpus("five", "es", Dataset("five", documents, questions), texts)


@pytest.mark.timeout(280)
def test_ours_and_a_peer_find_the_same_five_documents() -> None:
    five = corpus()
    assert {text.page for text in five.texts if text.document == PAGED} >= {1, 2}
    fake, broken = System("fake", str(FAKE), "none"), System("broken", "-c", "none")
    asked = [Setting(fake, 256), Setting(broken, None)]
    with temporary_folder("skillnet-peers-test") as folder:
        found = list(compare([five], asked, lambda system: (sys.executable, system.program), folder))
    assert len(found) == 1
    assert set(found[0].ours) == {"hybrid", "hybrid without late interaction"}
    assert found[0].ours["hybrid"][:2] == [1.0, 1.0]
    assert found[0].ours["hybrid"][2] > 0
    assert found[0].peers["fake, 256"][:2] == [1.0, 1.0]  # the vectors of either side are of the same model
    assert found[0].chunks == {"fake, 256": len(five.texts)}
    assert found[0].versions == {"fake": "1.0"}
    assert "broken, default" in found[0].failed
    report = found[0].report()
    assert (report["documents"], report["questions"]) == (5, 3)
    assert report["peers"]["fake, 256"]["difference"].keys() == {"mean", "low", "high", "ours_ahead", "theirs_ahead"}
