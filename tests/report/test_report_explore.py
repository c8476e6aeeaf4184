"""Exploring the rows in headless Chromium: filters, groups, a figure, pinned rows, links, copies, keys alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from ciphermark.execution.study_record import StudyRecord
from ciphermark.rows.model import Row
from report import listed_for_tests, synthetic
from report.test_report_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser


from report.exploring import column, measured, numeric, pin, status, tick


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return measured()


@pytest.fixture(scope="module")
def path(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = synthetic.write(
        tmp_path_factory.mktemp("explore") / "study", rows, study=StudyRecord(id="study"), claims=[]
    )
    synthetic.write_listings(folder, listed_for_tests.listings(rows))
    return report.write(folder)


def test_rows_sort_both_ways(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        page.click("#rows button[data-column=instructions]")
        up = numeric(column(page, "instructions"))
        assert up == sorted(up)
        assert (page.text_content("#rows th[aria-sort=ascending]") or "").startswith("Instructions")
        page.click("#rows button[data-column=instructions]")
        down = numeric(column(page, "instructions"))
        assert down == sorted(down, reverse=True)
        assert down[0] > up[-1]
        # What was not measured is last both ways.
        page.click("#rows button[data-column=cycles]")
        assert "" not in column(page, "cycles")[:3]
        page.click("#rows button[data-column=cycles]")
        assert "" not in column(page, "cycles")[:3]


def test_only_rows_in_sight_are_part_of_the_page_and_all_come_by_scrolling(
    browser: Browser, path: Path, rows: list[Row]
) -> None:
    with opened(browser, path) as page:
        assert page.locator("#rows tbody tr").count() < 60 < len(rows)
        assert page.get_attribute("#rows", "aria-rowcount") == str(len(rows) + 1)
        seen: set[int] = set()
        for _ in range(len(rows)):
            indices = page.evaluate(
                "[...document.querySelectorAll('#rows tr[aria-rowindex]')].map((row) => Number(row.ariaRowIndex))"
            )
            seen |= set(indices)
            if len(rows) + 1 in seen:
                break
            page.evaluate(
                """async () => {
                  const box = document.getElementById('rows').parentNode;
                  box.scrollTop += box.clientHeight;
                  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                }"""
            )
        assert seen == set(range(1, len(rows) + 2))


def test_rows_are_filtered_by_values_bounds_and_words(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        tick(page, "isa", "rv32i_zkn", "rv64i_zkn")
        tick(page, "operation", "decrypt")
        wanted = [row for row in rows if row.isa in ("rv32i_zkn", "rv64i_zkn") and row.operation == "decrypt"]
        assert status(page) == f"{len(wanted):,} of {len(rows):,} rows"
        assert set(column(page, "isa")) <= {"rv32i_zkn", "rv64i_zkn"}
        page.select_option("#more-filters", "instructions")
        page.locator(".filter[data-column=instructions]").get_by_label("at least").fill("5000")
        wanted = [row for row in wanted if (row.instructions or 0) >= 5000]
        assert status(page) == f"{len(wanted):,} of {len(rows):,} rows"
        page.fill("#row-search", "ECB zkne")
        wanted = [row for row in wanted if "ecb" in row.algorithm and "zkne" in row.implementation]
        assert status(page) == f"{len(wanted):,} of {len(rows):,} rows"
        page.fill("#row-search", "no such thing")
        assert status(page) == "No row matches."
        page.click("#clear-filters")
        assert status(page) == f"{len(rows):,} of {len(rows):,} rows"


def test_a_filter_on_what_was_not_measured(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        tick(page, "machine", "not measured")
        plain = sum(row.machine is None for row in rows)
        assert status(page) == f"{plain:,} of {len(rows):,} rows"


def test_rows_are_grouped_and_a_group_is_opened(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        page.locator("#row-view [name=group-1]").select_option("implementation")
        page.locator("#row-view [name=group-2]").select_option("machine")
        page.locator("#row-view [name=metric]").select_option("instructions")
        line = page.locator("#rows tbody tr", has_text="aes/ttable").first
        cells = line.locator("td").all_text_contents()
        of_it = sorted(
            row.instructions or 0 for row in rows if row.implementation == "aes/ttable" and row.machine is None
        )
        middle = len(of_it) // 2
        median = of_it[middle] if len(of_it) % 2 else (of_it[middle - 1] + of_it[middle]) / 2
        assert cells[1:] == [
            "aes/ttable",
            "\u2013",
            str(len(of_it)),
            f"{of_it[0]:,}",
            f"{median:,.0f}",
            f"{of_it[-1]:,}",
        ]
        line.get_by_role("button").click()
        assert status(page) == f"{len(of_it):,} of {len(rows):,} rows"
        assert set(column(page, "implementation")) == {"aes/ttable"}
        assert set(column(page, "machine")) == {""}


def test_a_figure_is_drawn_of_the_rows_that_are_left(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        page.click("#row-plot summary")
        page.wait_for_selector("#row-plot[data-drawn]")
        for name, value in (("x", "code_bytes"), ("y", "instructions"), ("colour", "isa")):
            page.locator(f"#row-plot [name={name}]").select_option(value)
        tick(page, "implementation", "aes/zkne32")
        wanted = sum(row.implementation == "aes/zkne32" and row.instructions is not None for row in rows)
        page.wait_for_function(
            "(count) => document.querySelectorAll('#row-plot svg .mark-symbol.role-mark path').length === count",
            arg=wanted,
        )
        titles = page.locator("#row-plot svg .role-axis-title text").all_text_contents()
        assert set(titles) == {"Code size", "Instructions"}


def test_a_row_says_where_its_figures_come_from_and_what_was_not_measured(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        page.check("#show-all")
        assert set(column(page, "seconds")) == {""}
        assert page.get_attribute("#rows td.absent >> nth=0", "title").endswith(": not measured")  # type: ignore[union-attr]
        pin(page, 0)
        said = page.text_content("#pinned") or ""
        assert "sim 0.1.0, instret of the timed region" in said
        assert "Executed opcodes" in said and "xor" in said
        assert "bytes per second" in said
        page.get_by_role("button", name="Unpin A").click()
        assert not page.is_visible("#pinned")


def test_two_pinned_rows_are_side_by_side_with_their_ratio(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        page.fill("#row-search", "ttable encrypt aes-128-ecb rv32i")
        tick(page, "size", "1,024")
        tick(page, "opt", "O2")
        tick(page, "machine", "not measured")
        pin(page, 0, 1)
        a, b = (
            row for row in rows
            if (row.implementation, row.operation, row.algorithm, row.size, row.opt, row.machine)
            == ("aes/ttable", "encrypt", "aes-128-ecb", 1024, "O2", None) and row.isa in ("rv32i", "rv32i_zbb")
        )  # fmt: skip
        assert a.instructions and b.instructions and a.opcodes and b.opcodes
        figures = dict(
            page.locator("#pinned table").first.evaluate(
                "(table) => [...table.tBodies[0].rows].map((row) => [row.cells[0].textContent, "
                "[...row.cells].slice(1).map((cell) => cell.textContent)])"
            )
        )
        ratio = f"{b.instructions / a.instructions:.3f}"
        assert figures["Instructions"] == [f"{a.instructions:,}", f"{b.instructions:,}", ratio]
        assert figures["ISA"] == ["rv32i", "rv32i_zbb", ""]
        assert "Algorithm" not in figures
        opcodes = page.locator("#pinned .histogram").first
        line = opcodes.locator("tr", has=page.get_by_role("rowheader", name="rori", exact=True))
        assert line.locator("td").all_text_contents()[:3] == ["0", f"{b.opcodes['rori']:,}", f"{b.opcodes['rori']:,}"]
        hot = page.get_by_role("region", name="Hot loop of aes/ttable", exact=False)
        assert hot.count() == 2
        # Of the code's one followed call, the longest.
        longest = max(
            row.instructions or 0 for row in rows
            if row.opcodes and (row.implementation, row.operation, row.algorithm, row.opt, row.isa)
            == ("aes/ttable", "encrypt", "aes-128-ecb", "O2", "rv32i")
        )  # fmt: skip
        first = hot.first.locator("tbody tr").nth(1).locator("td").all_text_contents()
        assert first == [f"{(longest - 2) // 4:,}", "80001004", "lw a1, 12(a1)", ""]
        assert hot.first.locator("tbody tr").count() == 5
        page.locator("#pinned summary").first.click()
        whole = page.get_by_role("region", name="Code of aes/ttable", exact=False)
        whole.locator("tbody tr").first.wait_for()
        assert whole.locator("tbody tr").count() == 1 + len(listed_for_tests.TEXTS)
        functions = page.get_by_role("region", name="Functions of aes/ttable", exact=False).first
        assert "100.0" in (functions.text_content() or "")


def test_a_row_of_a_machine_has_cycles_by_cause_and_instruction(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        tick(page, "machine", "rocket")
        page.click("#rows button[data-column=size]")
        page.click("#rows button[data-column=size]")
        pin(page, 0)
        said = page.text_content("#pinned") or ""
        assert "Cycles by what they were spent on" in said and "load" in said
        heads = page.get_by_role("region", name="Hot loop of", exact=False).locator("thead th").all_text_contents()
        assert heads == ["Executions", "Cycles", "Address", "Instruction", "Waits for", "Source"]


def test_a_third_pin_takes_the_place_of_the_second(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        pin(page, 0, 1, 2)
        pressed = page.evaluate(
            "[...document.querySelectorAll('#rows .open')].slice(0, 4).map((button) => button.ariaPressed)"
        )
        assert pressed == ["true", "false", "true", "false"]
