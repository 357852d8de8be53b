"""`skillnet parse`: a document as it is read, without any server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "documents"
POLICY = EXAMPLES / "politica-de-devoluciones.pdf"


def skillnet(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("skillnet")
    return subprocess.run([program, "parse", *arguments], capture_output=True, text=True, check=False)


def test_outline_and_figures_are_printed() -> None:
    done = skillnet(str(POLICY))
    assert done.returncode == 0
    assert "Importes y autorización  p. 2" in done.stdout
    assert "sections: 11" in done.stdout
    assert 'left out: {"running_line":' in done.stdout


def test_json_holds_text_spans_removals_and_chunks() -> None:
    found = json.loads(skillnet(str(POLICY), "--json", "--chunks").stdout)
    section = found["outline"][0]
    assert found["text"][section["start"] : section["end"]].startswith("Política de devoluciones y cambios")
    assert {key: found["removed"][0][key] for key in ("reason", "page")} == {"reason": "running_line", "page": 1}
    assert [chunk["index"] for chunk in found["chunks"]] == list(range(found["statistics"]["chunks"]))
    assert all(chunk["token_count"] <= 512 for chunk in found["chunks"])
    left_out = [(span["reason"], found["text"][span["start"] : span["end"]]) for span in found["unindexed"]]
    assert {reason for reason, _ in left_out} == {"heading"}
    headings = {
        found["text"][block["start"] : block["end"]] for block in found["blocks"] if block["kind"] == "heading"
    }
    assert {text for _, text in left_out} <= headings


def test_the_page_shows_the_original_beside_what_was_read(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = skillnet(str(POLICY), "--chunks", "--html", str(page))
    assert (done.returncode, done.stderr.strip()) == (0, f"Written: {page}")
    html = page.read_text(encoding="utf-8")
    assert html.count("data:image/png;base64,") == 3
    assert "class='box heading'" in html
    assert "chunk 0:" in html
    assert "src='http" not in html


def test_the_page_of_a_format_without_pages_shows_the_text(tmp_path: Path) -> None:
    source = tmp_path / "nota.md"
    source.write_text("# Título\n\nEl <b>horno</b> & la tienda.\n", encoding="utf-8")
    page = tmp_path / "page.html"
    assert skillnet(str(source), "--html", str(page)).returncode == 0
    assert "&amp; la tienda" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "code", "status"), [("none.pdf", "not_found", 4), ("empty.pdf", "empty_file", 1)])
def test_a_document_that_cannot_be_read_is_named(tmp_path: Path, name: str, code: str, status: int) -> None:
    (tmp_path / "empty.pdf").touch()
    done = skillnet(str(tmp_path / name), "--json")
    assert done.returncode == status
    assert json.loads(done.stderr)["error"]["code"] == code


def test_the_page_never_takes_the_place_of_the_document(tmp_path: Path) -> None:
    source, link = tmp_path / "nota.md", tmp_path / "enlace.md"
    source.write_text("# Título\n\nTexto.\n", encoding="utf-8")
    link.hardlink_to(source)
    for page in (source, link, tmp_path / "no" / "page.html", tmp_path):
        done = skillnet(str(source), "--html", str(page))
        assert (done.returncode, done.stdout) == (2, "")
        assert "[invalid_request]" in done.stderr
        assert str(page if page.parent.is_dir() else page.parent) in done.stderr
    assert source.read_text(encoding="utf-8").startswith("# Título")
