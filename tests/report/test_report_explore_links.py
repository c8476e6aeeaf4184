"""What the explorer keeps and gives away: links, copies, keys alone, hostile names, phones."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ciphermark import report
from ciphermark.execution.study_record import StudyRecord
from ciphermark.rows.model import Row
from ciphermark.study.headline import Headline
from report import hostile, listed_for_tests, synthetic
from report.exploring import copied, measured, pin, pinned, status, tick
from report.test_report_accessible import violations
from report.test_report_browser import opened, wider_than_the_window

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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


EVERYTHING = """() => [document.getElementById('row-status').textContent,
  document.getElementById('rows').tBodies[0].textContent, document.getElementById('rows').tHead.textContent,
  document.getElementById('pinned').textContent, document.querySelector('#row-plot .words').textContent,
  [...document.querySelectorAll('.filter')].map((each) => each.querySelector('summary').textContent).sort(),
  [...document.querySelectorAll('#row-plot select, #row-plot input')].map((each) => [each.value, each.checked])]"""


def test_a_link_brings_back_all_that_was_asked_for(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        assert "#" not in page.url
        tick(page, "isa", "rv32i", "rv32i_zbb")
        page.select_option("#more-filters", "code_bytes")
        page.locator(".filter[data-column=code_bytes]").get_by_label("at most").fill("5000")
        page.fill("#row-search", "encrypt")
        page.click("#rows button[data-column=instructions]")
        page.click("#rows button[data-column=instructions]")
        page.check("#show-all")
        pin(page, 0, 2)
        page.click("#row-plot summary")
        page.locator("#row-plot [name=x]").select_option("isa")
        page.wait_for_selector("#row-plot[data-drawn]")
        before, link = page.evaluate(EVERYTHING), page.url
        page.reload()
        page.wait_for_selector("#row-plot[data-drawn]")
        pinned(page)
        assert page.evaluate(EVERYTHING) == before
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector("#row-plot[data-drawn]")
        pinned(page)
        assert page.evaluate(EVERYTHING) == before
        assert page.evaluate("Math.abs(document.getElementById('all-rows').getBoundingClientRect().top)") < 200
        # In the page that is open, another link is followed as well.
        page.evaluate("location.hash = '#all-rows?implementation=aes%2Fsbox&group=isa'")
        page.wait_for_function("document.getElementById('row-status').textContent.includes('groups')")
        assert page.evaluate("explorer.state.pins") == []


@pytest.mark.parametrize(
    "link",
    [
        "?isa=nothing&sort=-none&group=none&axis.x=no&pin=row-999999&pin=zz&least.isa=3&columns=",
        "?most.size=x",
        "?%",
        "?",
    ],
)
def test_a_link_that_names_what_is_not_there_breaks_nothing(browser: Browser, path: Path, link: str) -> None:
    with opened(browser, path) as page:
        page.goto(f"{path.as_uri()}#all-rows{link}")
        page.reload()
        page.wait_for_function("window.explorer.ready")
        assert status(page) != ""


def test_the_filtered_table_is_copied(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        tick(page, "implementation", "aes/zkne32")
        tick(page, "operation", "encrypt")
        page.click("#rows button[data-column=instructions]")
        wanted = sorted(
            (row for row in rows if row.implementation == "aes/zkne32" and row.operation == "encrypt"),
            key=lambda row: row.instructions or 0,
        )
        table = list(csv.DictReader(io.StringIO(copied(page, "csv"))))
        assert [(row["isa"], int(row["instructions"])) for row in table] == [
            (row.isa, row.instructions) for row in wanted
        ]
        exact = [float(row["instructions_per_byte"]) for row in table]
        assert exact == [row.instructions_per_byte for row in wanted]
        lines = copied(page, "markdown").splitlines()
        assert len(lines) == 2 + len(wanted)
        assert "| aes/zkne32 |" in lines[2] and "rv32i\\_zkn" in lines[2]
        latex = copied(page, "latex")
        assert "\\toprule" in latex and "\\bottomrule" in latex and latex.count("rv32i\\_zkn") == len(wanted)
        assert latex.count(" \\\\\n") == 1 + len(wanted)
        page.locator("#row-view [name=group-1]").select_option("algorithm")
        grouped = list(csv.DictReader(io.StringIO(copied(page, "csv"))))
        assert [int(row["rows"]) for row in grouped] == [
            sum(row.algorithm == name for row in wanted) for name in dict.fromkeys(row.algorithm for row in wanted)
        ]


def test_where_the_clipboard_is_closed_the_text_can_be_selected(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no'); }; }")
        page.click("#row-copy button[data-copy=csv]")
        page.wait_for_selector("#row-copied:not([hidden])")
        assert page.evaluate("document.getElementById('row-copied').value.split('\\n').length") == len(rows) + 2
        assert page.evaluate("document.activeElement.id") == "row-copied"


def test_all_of_it_works_by_keys_alone(browser: Browser, path: Path, rows: list[Row]) -> None:
    with opened(browser, path) as page:
        focused = "document.activeElement.closest('.filter')?.dataset.column ?? document.activeElement.id"

        def tab_to(what: str, wanted: Any, most: int = 60) -> None:
            for _ in range(most):
                if page.evaluate(what) == wanted:
                    return
                page.keyboard.press("Tab")
            raise AssertionError(f"no way to {wanted}")

        page.focus("#row-search")
        page.keyboard.type("encrypt")
        tab_to(focused, "isa")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert "rv32i" in page.text_content(".filter[data-column=isa] summary")  # type: ignore[operator]
        page.keyboard.press("Escape")
        assert page.locator(".filter[open]").count() == 0
        wanted = sum(row.isa == "rv32i" and "encrypt" in row.operation for row in rows)
        assert status(page) == f"{wanted} of {len(rows):,} rows"
        tab_to("document.activeElement.dataset.column ?? ''", "instructions")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.dataset.column") == "instructions"
        assert page.locator("#rows th[aria-sort=ascending]").count() == 1
        tab_to("document.activeElement.className", "open")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.ariaPressed") == "true"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        pinned(page)
        assert page.get_by_role("heading", name="Two rows side by side").is_visible()
        # Through more rows than are in sight: those that come into sight can be reached as well.
        for _ in range(30):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('#rows .open')") or wanted < 32
        page.focus("#row-plot summary")
        page.keyboard.press("Enter")
        page.wait_for_selector("#row-plot[data-drawn]")


def hostile_page(folder: Path) -> Path:
    hostile.results(folder)
    rows = hostile.rows()
    synthetic.write_listings(folder, listed_for_tests.listings(rows, (hostile.TEXT,) * 6, hostile.TEXT))
    return report.write(folder)


def test_hostile_names_run_nothing_and_are_copied_as_text(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, hostile_page(tmp_path / "hostile")) as page:
        page.check("#show-all")
        page.evaluate("document.querySelectorAll('.filter').forEach((each) => { each.open = true; })")
        pin(page, 0, 5)
        assert "</script>" in (page.text_content("#pinned .code") or "")
        page.click("#row-plot summary")
        page.locator("#row-plot [name=colour]").select_option("isa")
        page.wait_for_selector("#row-plot[data-drawn]")
        page.hover("#row-plot svg .mark-symbol path >> nth=0", force=True)
        page.locator("#row-view [name=group-1]").select_option("isa")
        page.click("#rows .open >> nth=0")
        page.reload()
        pinned(page)
        assert page.evaluate("window.broken") is None
        assert page.locator("img").count() == 0
        table = list(csv.DictReader(io.StringIO(copied(page, "csv"))))
        assert table[0]["implementation"].endswith(hostile.TEXT)
        assert "<" not in copied(page, "markdown").replace("\\<", "")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_pinned_drawn_and_opened_breaks_no_rule(browser: Browser, path: Path, scheme: str) -> None:
    with opened(browser, path, color_scheme=scheme) as page:
        tick(page, "isa", "rv32i", "rv32i_zbb")
        pin(page, 0, 3)
        page.locator("#pinned summary").first.click()
        page.click("#row-plot summary")
        page.wait_for_selector("#row-plot[data-drawn]")
        page.locator(".filter[data-column=size] summary").click()
        assert violations(page) == []


def test_a_phone_never_scrolls_sideways(lettered: Browser, path: Path) -> None:
    with opened(lettered, path, viewport={"width": 320, "height": 844}, device_scale_factor=2) as page:
        page.check("#show-all")
        pin(page, 0, 1)
        page.click("#row-plot summary")
        page.wait_for_selector("#row-plot[data-drawn]")
        page.evaluate("document.querySelectorAll('#explore details').forEach((element) => { element.open = true; })")
        assert wider_than_the_window(page, (320, 390, 768)) == []


def test_rows_by_themselves_are_explored_without_code(browser: Browser, tmp_path: Path) -> None:
    row = replace(synthetic.rows((16,), (("zig", "O2"),))[0], opcodes=None, engine="qemu")
    # Its metric is no column.
    study = StudyRecord(id="one", headline=Headline.model_validate({"metric": "cpu_s"}))
    folder = synthetic.write(tmp_path / "one", [row], study=study, claims=[])
    with opened(browser, report.write(folder)) as page:
        assert status(page) == "1 of 1 row"
        pin(page, 0)
        said = page.text_content("#pinned") or ""
        assert "This page does not hold the code of this row" in said
        assert json.loads(page.evaluate("JSON.stringify(explorer.state.pins)")) == [0]
