"""Speed against area: what is on the Pareto front, and that the table holds both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report.figures import Figure, areas, figures
from ciphermark.rows.model import Row
from ciphermark.study.shown import Plot
from report import synthetic
from report.test_report_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

COSTS = {"c/plain": (0.0, 1700), "c/fast-and-tuned": (3800.0, 500), "c/small": (2500.0, 600), "c/bad": (4100.0, 550)}


def rows() -> list[Row]:
    one = synthetic.rows((64,), (("zig", "O2"),))[0]
    return [
        replace(
            one, implementation=name, isa="rv64imc", engine="rocket-rtl", machine=machine, memory_latency=10,
            state="warm", size=64, cycles=cycles * slower, area_nand2=area, area_depth=5, point=f"{name} {machine}",
        )
        for name, (area, cycles) in COSTS.items()
        for machine, slower in (("rocket-scie", 1), ("rocket-rocc", 3))
    ]  # fmt: skip


def one(found: list[Row], **more: object) -> tuple[list[Figure], list[str]]:
    plot = Plot.model_validate({"kind": "area", "where": {"engine": "rocket-rtl"}, **more})
    return figures(StudyRecord(id="s", plots=(plot,)), found)


@pytest.mark.parametrize(
    ("costs", "best"),
    [
        ({"a": (0, 9), "b": (5, 5), "c": (6, 5), "d": (9, 1)}, ["a", "b", "d"]),
        ({"a": (1, 1), "b": (0, 2), "c": (2, 0)}, ["b", "a", "c"]),
        ({"a": (1, 1), "b": (1, 2)}, ["a"]),
        ({}, []),
    ],
)
def test_the_front_is_what_nothing_dominates(costs: dict[str, tuple[float, float]], best: list[str]) -> None:
    assert areas.front(costs) == best


def test_points_off_the_front_are_hollow_and_those_on_it_named() -> None:
    ((figure,), problems) = one(rows())
    assert problems == []
    drawn = [datum for datum in figure.start.data if datum.key == "Cycles"]
    assert len(drawn) == len(COSTS) * 2
    named = [(datum.note, datum.isa, datum.start, datum.value) for datum in drawn if datum.note]
    assert named == [
        ("plain", "rocket-scie", 0.0, 1700), ("small", "rocket-scie", 2500.0, 600),
        ("fast-and-tuned", "rocket-scie", 3800.0, 500),
    ]  # fmt: skip
    assert [datum.hollow for datum in drawn] == [not datum.note for datum in drawn]
    assert [key.label for key in figure.legend] == ["rocket-scie", "rocket-rocc"]


def test_the_table_has_both_metrics() -> None:
    ((figure,), _) = one(rows())
    head, body = figure.table()
    assert head == ["Implementation", "Machine", "Cycles", "Area (NAND2)"]
    assert ["c/small", "rocket-rocc", "1,800.0", "2,500.0"] in body


def test_counts_against_area_are_of_no_machine() -> None:
    counted = [
        replace(each, engine="sim", machine=None, memory_latency=None, state=None, cycles=None, instructions=400)
        for each in rows()
        if each.machine == "rocket-scie"
    ]
    ((figure,), _) = one(counted, metric="instructions", where={})
    assert figure.heads == ("Implementation", "ISA")
    assert [datum.note for datum in figure.start.data if datum.note] == ["plain"]


def test_without_areas_it_is_said() -> None:
    found, problems = one([replace(each, area_nand2=None) for each in rows()])
    assert found == []
    assert "which has no measured rows to show" in problems[0]


def written(tmp_path: Path) -> Path:
    plot = {"kind": "area", "where": {"engine": ["rocket-rtl"]}}
    study = {"id": "s", "title": "t", "question": "q", "plots": [plot]}
    folder = synthetic.write(tmp_path / "s", rows(), study=study, claims=[])
    report.write(folder)
    return folder


def test_the_page_and_the_paper_have_it(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    folder = written(tmp_path)
    assert "The line joins the Pareto front" in (folder / "report.html").read_text()
    assert "rocket-rocc" in (folder / "figures" / "figure-2.svg").read_text()


CUT = """() => [...document.querySelectorAll('#figure-2 .chart svg text')].filter((text) =>
  text.getBoundingClientRect().right > text.ownerSVGElement.getBoundingClientRect().right + 1)
  .map((text) => text.textContent)"""


def test_no_name_is_cut_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path) / "report.html", viewport={"width": 390, "height": 844}) as page:
        assert "fast-and-tuned" in page.locator("#figure-2 .chart svg").inner_html()
        assert page.evaluate(CUT) == []


def test_it_is_drawn(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path) / "report.html") as page:
        assert page.locator("#figure-2 .chart svg").count() == 1
