"""Heat maps of machines' variants, and drawings of memories: what is shown, and how the page has it."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import memories
from ciphermark.report.figures import Figure, figures
from ciphermark.rows.model import Row
from ciphermark.rtl import machines
from ciphermark.study.shown import Plot
from report import synthetic
from report.test_report_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SIZES, LINES = ("1K", "16K", "2K"), ("64", "8", "16")
"""Not in the order of their letters, nor in that of their sizes."""
CYCLES = {"aes/sbox": 3000, "aes/ttable": 800}


def varied(base: str, size: str, line: str, more: str = "") -> str:
    return f"{base}+l1d.size={size}+line={line}{more}"


def rows() -> list[Row]:
    one = synthetic.rows((64,), (("zig", "O2"),))[0]

    def of(implementation: str, machine: str, cycles: float) -> Row:
        return replace(
            one, implementation=implementation, machine=machine, memory_latency=None, state="cold", size=64,
            cycles=round(64 * cycles), cycles_per_byte=cycles, point=f"{implementation} {machine}",
        )  # fmt: skip

    found = [
        of(name, varied("gem5-two-level", size, line), cycles + 10 * SIZES.index(size) + LINES.index(line))
        for name, cycles in CYCLES.items()
        for size in SIZES
        for line in LINES
    ]
    others = ("gem5-two-level", "gem5-two-level+line=8", varied("gem5-two-level", "1K", "8", "+l2.ways=4"))
    return found + [of("aes/sbox", machine, 1e6) for machine in others]


def one(found: list[Row], **more: object) -> tuple[list[Figure], list[str]]:
    plot = Plot.model_validate({"kind": "heat-map", "x": "memory.parts.l1d.size", "y": "memory.parts.*.line", **more})
    return figures(StudyRecord(id="s", plots=(plot,)), found)


def test_a_cell_is_the_row_of_its_variant_and_of_no_other() -> None:
    ((figure,), problems) = one(rows())
    assert problems == []
    head, body = figure.table()
    assert head == ["line", "Implementation", "1K", "2K", "16K"]
    assert [line[:2] for line in body] == [[line, name] for name in ("sbox", "ttable") for line in ("8", "16", "64")]
    assert body[0][2:] == ["3,001.00", "3,021.00", "3,011.00"]
    assert body[-1][2:] == ["800.00", "820.00", "810.00"]
    assert [panel.title for panel in figure.panels] == ["sbox", "ttable"]
    assert "800.00 (ttable, l1d.size 1K, line 64)" in figure.description
    assert "3,022.00 (sbox, l1d.size 2K, line 16)" in figure.description


def test_shades_are_of_each_panel() -> None:
    ((figure,), _) = one(rows())
    scales = [panel.chart["layer"][0]["encoding"]["opacity"]["scale"] for panel in figure.panels]
    assert [scale["domain"] for scale in scales] == [[3000, 3022], [800, 822]]
    assert {scale["type"] for scale in scales} == {"linear"}
    wide = [replace(row, cycles_per_byte=(row.cycles_per_byte or 0) ** 3 % 1e5 + 1) for row in rows()]
    ((figure,), _) = one(wide)
    assert figure.panels[0].chart["layer"][0]["encoding"]["opacity"]["scale"]["type"] == "log"


def test_without_such_machines_the_page_says_so() -> None:
    found, problems = one(rows(), x="memory.parts.l2.size")
    assert found == []
    assert len(problems) == 1 and "no measured rows" in problems[0]


@pytest.mark.parametrize("name", ["gem5-simple", "gem5-two-level", "gem5-ruby-msi"])
def test_drawings_are_images_with_words(name: str) -> None:
    machine = machines.machine(name)
    (drawing,) = memories.drawings((machine, machines.machine("rocket")))
    kind, content = drawing.image.split(",", 1)
    assert kind == "data:image/svg+xml;base64"
    assert f"<title>{name}: " in base64.b64decode(content).decode()
    assert machine.memory is not None
    assert all(f"{part}: " in drawing.words for part in machine.memory.parts)
    assert machine.evidence
    assert all(f" on {evidence.programs}" in drawing.model for evidence in machine.evidence)


def test_both_are_drawn_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    plot = {"kind": "heat-map", "x": "l1d.size", "y": "line"}
    memory = machines.machine("gem5-two-level").model_dump()
    study = {"id": "s", "title": "t", "question": "q", "plots": [plot], "memories": [memory]}
    folder = synthetic.write(tmp_path / "s", rows(), study=study, claims=[])
    report.write(folder)
    with opened(browser, folder / "report.html") as page:
        charts = page.locator(".chart svg")
        assert charts.count() == 2
        assert page.locator(".chart svg .mark-rect path").count() == len(CYCLES) * len(SIZES) * len(LINES)
        opacities = page.evaluate(
            "[...document.querySelectorAll('.chart svg .mark-rect path')].map((cell) => +cell.getAttribute('opacity'))"
        )
        assert min(opacities) == pytest.approx(0.06) and max(opacities) == pytest.approx(0.55)
        assert page.evaluate("document.querySelector('#memories img').naturalWidth") > 400
