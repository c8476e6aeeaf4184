"""Lines by technique, with the sizes from which one needs fewer instructions than another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import palette
from ciphermark.report.figures import Figure, figures
from ciphermark.report.figures.techniques import break_evens, names, technique
from ciphermark.rows.model import Row
from ciphermark.study.shown import Plot
from report import synthetic
from report.test_report_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SIZES = (16, 64, 256, 1024)
LAWS = {"c/small": (0, 10), "c/start": (500, 4), "c/best": (5, 3)}
"""Instructions before the first byte, and for each."""


def rows(compilers: tuple[tuple[str, str], ...] = (("zig", "O2"),)) -> list[Row]:
    one = synthetic.rows((16,), (("zig", "O2"),))[0]
    return [
        replace(
            one, implementation=name, isa="rv64i", size=size, compiler=compiler, opt=opt,
            instructions=setup + slope * size, instructions_per_byte=(setup + slope * size) / size,
            code_bytes=100, provenance="sim",
        )
        for compiler, opt in compilers
        for name, (setup, slope) in LAWS.items()
        for size in SIZES
    ]  # fmt: skip


PLOT = Plot(kind="break-even")


def one(found: list[Row]) -> Figure:
    drawn, problems = figures(StudyRecord(id="s", plots=(PLOT,)), found)
    assert problems == []
    return drawn[0]


def test_a_break_even_is_the_smallest_size_from_which_one_is_below_for_good() -> None:
    (found,) = break_evens(rows())
    assert (found.size, technique(found.winner), [technique(each) for each in found.losers]) == (
        256, ("c/start", "rv64i"), [("c/small", "rv64i")],
    )  # fmt: skip


def test_what_a_boot_disturbs_is_no_break_even() -> None:
    near = [replace(row, instructions=round(row.instructions * (0.98 if row.size > 64 else 1.02)), implementation="c/d")
            for row in rows() if row.implementation == "c/small" and row.instructions]  # fmt: skip
    small = [row for row in rows() if row.implementation == "c/small"]
    assert len(break_evens([*small, *near])) == 1
    assert break_evens([replace(row, engine="vm") for row in (*small, *near)]) == []


def test_who_is_ahead_once_but_not_for_good_has_none() -> None:
    ahead_at_64 = [replace(row, instructions=900) if row.size == 64 and "best" in row.implementation else row
                   for row in rows()]  # fmt: skip
    best, start = sorted(break_evens(ahead_at_64), key=lambda point: technique(point.winner))
    assert (best.size, best.winner.implementation, {each.implementation for each in best.losers}) == (
        256,
        "c/best",
        {"c/small", "c/start"},
    )
    assert (start.size, start.winner.implementation, start.losers[0].implementation) == (256, "c/start", "c/small")


def test_a_size_only_one_has_is_not_compared() -> None:
    found = [row for row in rows() if not (row.implementation == "c/start" and row.size < 256)]
    assert break_evens(found) == []


def test_a_row_without_a_count_is_not_compared() -> None:
    found = [replace(row, instructions=None) if row.size == 256 else row for row in rows()]
    assert [point.size for point in break_evens(found)] == [1024]


def test_the_figure_marks_it_and_says_it_in_words() -> None:
    figure = one(rows())
    (mark,) = [datum for datum in figure.start.data if datum.mark]
    assert (mark.implementation, mark.row, mark.value, mark.mark) == ("c/start", 256, 1524 / 256, "1")
    assert figure.start.remarks == (
        "From 256\u202fB on, start needs fewer instructions than small: 1,524 against 2,560.",
    )
    assert figure.remarked == "Break-even points"
    assert [key.label for key in figure.legend] == ["small", "start", "best"]
    header, body = figure.table()
    assert len(header) == 2 + len(SIZES)
    assert len(body) == len(LAWS)


def test_no_break_even_is_said() -> None:
    figure = one([row for row in rows() if row.implementation != "c/start"])
    assert figure.start.remarks == ("None: at every size the order is the same.",)


def test_techniques_are_called_by_what_tells_them_apart() -> None:
    found = rows()
    zbb = [replace(row, isa="rv64i_zbb") for row in found if row.implementation == "c/small"]
    assert set(names([*found, *zbb]).values()) == {"small", "small zbb", "start", "best"}
    assert names([*found, replace(found[0], implementation="d/other")])["c/small", "rv64i"] == "c/small"


def test_lines_beyond_the_palette_differ_by_symbol() -> None:
    many = palette.series(10)
    assert len(set(many)) == 8
    assert all(name.removeprefix("--") in palette.LIGHT for name in many)


def test_it_is_drawn_and_follows_the_readers_choice(browser: Browser, tmp_path: Path) -> None:
    other = [replace(row, instructions=1, instructions_per_byte=1 / row.size) if "best" in row.implementation else row
             for row in rows((("zig", "Os"),))]  # fmt: skip
    measured = [*rows(), *other]
    study = {"id": "s", "title": "t", "question": "q", "plots": [{"kind": "break-even"}]}
    folder = synthetic.write(tmp_path / "s", measured, study=study, claims=[])
    report.write(folder)
    for options in ({}, {"viewport": {"width": 375, "height": 800}}, {"color_scheme": "dark"}):
        with opened(browser, folder / "report.html", **options) as page:
            figure = page.locator("#figure-2")
            assert figure.locator(".remarks li").count() == 1
            assert "start needs fewer instructions than small" in (figure.locator(".remarks").text_content() or "")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert figure.locator("svg text", has_text="1").count() >= 1
            figure.locator("select[name=build]").select_option(label="zig -Os")
            figure.locator(".words", has_text="zig -Os").wait_for()


def test_it_leaves_the_page_for_a_paper(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    study = {"id": "s", "title": "t", "question": "q", "plots": [{"kind": "break-even"}]}
    folder = synthetic.write(tmp_path / "s", rows(), study=study, claims=[])
    report.write(folder)
    assert "c/start" in (folder / "figures" / "figure-2.svg").read_text()
