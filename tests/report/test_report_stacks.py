"""What modelled cycles were spent on: bars of causes that add up to the row's cycles."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from ciphermark.execution.hot_loops import HotInstruction, HotLoop
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import palette
from ciphermark.report.figures import Figure, figures
from ciphermark.rows.model import Row
from report import synthetic
from report.test_report_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SPENT = {
    "aes/sbox": {"issue": 3050, "branch": 300, "data": 120},
    "aes/ttable": {"issue": 934, "load-use": 510, "data": 80},
}
MACHINES = {"rocket": 1, "cva6": 2}


def rows() -> list[Row]:
    one = synthetic.rows((64,), (("zig", "O2"),))[0]
    return [
        replace(
            one, implementation=name, isa=isa, machine=machine, memory_latency=10, state=state,
            cycles=sum(spent.values()) * slower, causes={cause: it * slower for cause, it in spent.items()},
            point=f"{name} {isa} {machine} {state}",
        )
        for name, spent in SPENT.items()
        for isa in ("rv64im", "rv64im_zbb")
        for machine, slower in MACHINES.items()
        for state in ("warm", "cold")
    ]  # fmt: skip


def drawn(found: list[Row]) -> Figure:
    (figure,), problems = figures(StudyRecord(id="s"), found)
    assert problems == []
    return figure


def test_the_parts_of_every_bar_add_up_to_the_row_s_cycles() -> None:
    figure = drawn(rows())
    assert [selector.options for selector in figure.selectors] == [
        ("aes-128-ecb encrypt",), ("rocket, warm", "rocket, cold", "cva6, warm", "cva6, cold")
    ]  # fmt: skip
    for key, slower in (("0,0", 1), ("0,2", 2)):
        totals: Counter[tuple[str, str]] = Counter()
        for datum in figure.variants[key].data:
            if datum.value is not None:
                assert datum.start == totals[datum.implementation, datum.isa]
                totals[datum.implementation, datum.isa] += int(datum.value)
        assert totals == {
            (name, isa): sum(SPENT[name].values()) * slower for name in SPENT for isa in ("rv64im", "rv64im_zbb")
        }


def test_instructions_come_first_and_then_the_dearest_cause() -> None:
    figure = drawn(rows())
    assert [key.label for key in figure.legend] == ["issue", "load-use", "branch", "data"]
    head, body = figure.table()
    assert head == ["Implementation", "ISA", "issue", "branch", "data", "load-use"]
    assert body[0] == ["aes/sbox", "rv64im", "3,050", "300", "120", "–"]


def test_causes_without_a_colour_are_one() -> None:
    causes = {"issue": 100, **{f"cause-{number}": 50 - number for number in range(palette.MOST_SERIES + 2)}}
    figure = drawn([replace(each, causes=causes, cycles=sum(causes.values())) for each in rows()])
    labels = [key.label for key in figure.legend]
    assert len(labels) == len({key.colour for key in figure.legend}) == palette.MOST_SERIES
    assert labels[-1] == "other"
    of_one = [datum for datum in figure.start.data if datum.value is not None and datum.row == 1]
    assert sum(datum.value or 0 for datum in of_one) == sum(causes.values())


def test_rows_that_are_not_right_or_not_modelled_have_none() -> None:
    assert figures(StudyRecord(id="s"), [replace(each, causes=None) for each in rows()]) == ([], [])
    assert figures(StudyRecord(id="s"), [replace(each, verified=False) for each in rows()]) == ([], [])


def written(tmp_path: Path) -> Path:
    folder = synthetic.write(tmp_path / "s", rows(), study={"id": "s", "title": "t", "question": "q"}, claims=[])
    report.write(folder)
    return folder


def test_the_page_and_the_paper_have_it(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    folder = written(tmp_path)
    assert "Cycles by cause" in (folder / "report.html").read_text()
    assert "load-use" in (folder / "figures" / "figure-2.svg").read_text()


def test_it_is_drawn(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path) / "report.html") as page:
        bars = page.locator("#figure-2 .mark-rect path")
        assert bars.count() == 12
        assert bars.nth(0).get_attribute("aria-label") == "aes/sbox, rv64im, issue: 3,050"


def test_the_page_has_the_hot_loop_of_a_row(tmp_path: Path) -> None:
    found = rows()
    listing = (HotInstruction("80000100", "lw a0, 0(a1)", 40, 120, "load-use 80"),)
    loops = (HotLoop(found[0].point, "aes_encrypt", 40, 1735, listing), HotLoop(found[2].point, note="It has no loop."))
    folder = synthetic.write(tmp_path / "s", found, study=StudyRecord(id="s", hot_loops=loops), claims=[])
    report.write(folder)
    page = (folder / "report.html").read_text()
    assert "40 iterations, 43.4 cycles each; 50.0 % of the call&#39;s 3,470 cycles" in page.replace("'", "&#39;")
    assert "load-use 80" in page
    assert "It has no loop." in page
