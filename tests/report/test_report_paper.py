"""What is written beside the page, for a paper."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ciphermark.report import paper
from ciphermark.report.figures.theme import LOCALE


def test_the_tables_say_what_the_page_says(results: Path) -> None:
    markdown = (results / "table.md").read_text(encoding="utf-8")
    assert "| aes/zkne32 | – | – | – | – | 14.56 |" in markdown
    assert "| aes/sbox | 190.63 | 190.63 ‡ (0\u202f%) |" in markdown
    latex = (results / "table.tex").read_text(encoding="utf-8")
    assert r"\texttt{rv32i\_zbb\_zbkb}" in latex
    assert r"\textbf{14.56} \\" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2


def test_hostile_names_are_escaped(hostile_results: Path) -> None:
    markdown = (hostile_results / "table.md").read_text(encoding="utf-8")
    assert "<script" not in markdown.replace(r"\<script", "")
    latex = (hostile_results / "table.tex").read_text(encoding="utf-8")
    body = latex.replace(r"\{", "").replace(r"\}", "").replace(r"\_", "")
    assert body.count("{") == body.count("}")
    assert "\\$\\{broken\\}" in latex


def test_figures_are_drawn_as_svg_and_pdf_in_light_colours(results: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the `vl-convert-python` package")
    first = (results / "figures" / "figure-1.svg").read_text(encoding="utf-8")
    assert "var(--" not in first
    assert len(list(ElementTree.fromstring(first).iter())) > 50
    for number in (2, 3, 4):
        svg = (results / "figures" / f"figure-{number}.svg").read_text(encoding="utf-8")
        assert "var(--" not in svg
        assert "#0072b2" in svg
        assert len(list(ElementTree.fromstring(svg).iter())) > 100
        assert (results / "figures" / f"figure-{number}.pdf").read_bytes().startswith(b"%PDF")


def test_figures_are_left_out_without_the_converter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert paper.write_figures([], [], tmp_path) == []
    assert LOCALE["grouping"] == [3]
