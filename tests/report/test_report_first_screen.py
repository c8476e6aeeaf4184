"""The first screen in a browser, on a desk and on a phone: nothing below its edge, nothing cut, nothing covered."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from ciphermark.study.load import builtin
from report import declared
from report.test_report_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

SHOWN = ("h1", ".sentence", ".large", ".chips")
"""Wholly within the first screen; the figure's drawing is too, on a desk."""

BELOW = """(selectors) => selectors.flatMap((selector) => [...document.querySelectorAll(selector)])
  .map((element) => [element.className || element.tagName, element.getBoundingClientRect()])
  .filter(([, box]) => box.height === 0 || box.bottom > innerHeight || box.right > innerWidth || box.left < 0)
  .map(([name, box]) => [name, Math.round(box.bottom), Math.round(box.right)])"""

# Bounding boxes are of the font's line: letters that touch overlap by more than their margin.
COVERED = """(selector) => [...document.querySelectorAll(selector)].filter((svg) => svg.getClientRects().length)
  .flatMap((svg) => {
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim())
      .map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    const found = [];
    texts.forEach(([name, a], n) => texts.slice(n + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 4) found.push([name, other, Math.round(across), Math.round(down)]);
    }));
    return found;
  })"""

CUT = """() => [...document.querySelectorAll(".static svg")].filter((svg) => svg.getClientRects().length)
  .flatMap((svg) => {
    const whole = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()])
      .filter(([, box]) => box.left < whole.left - 1 || box.right > whole.right + 1
        || box.top < whole.top - 2 || box.bottom > whole.bottom + 2)
      .map(([name]) => name);
  })"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every built-in study's page, of invented rows of all that its first answer is about."""
    root = tmp_path_factory.mktemp("studies")
    return {name: report.write(declared.write(root / name, name)) for name in builtin()}


@pytest.fixture
def path(results: Path) -> Path:
    return results / "report.html"


@pytest.mark.parametrize("name", builtin())
def test_the_first_screen_has_question_answer_figure_and_verdicts(
    lettered: Browser, pages: dict[str, Path], name: str
) -> None:
    for size in (DESK, PHONE):
        with opened(lettered, pages[name], viewport=size) as page:
            drawn = ".first .static.wide svg" if size is DESK else ".first .static.narrow svg"
            assert page.evaluate(BELOW, [*SHOWN, *([drawn] if size is DESK else [])]) == []
            top = page.evaluate(f"document.querySelector('{drawn}').getBoundingClientRect().top")
            assert top < size["height"] * 0.62
            assert page.evaluate(COVERED, ".first .static svg") == []
            assert page.evaluate(CUT) == []
            assert "\N{HORIZONTAL ELLIPSIS}" not in page.locator(drawn).text_content()  # type: ignore[operator]
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator(".measured").first.is_visible()


LONG_NUMBER = """() => {
  const numbers = [...document.querySelectorAll(".large dd")];
  numbers[1].textContent = "1,443\\u00a0MB/s";
  numbers[1].className = "long";
  return numbers.map((number) => {
    const text = document.createRange();
    text.selectNodeContents(number);
    const box = text.getBoundingClientRect();
    return [box.left, box.right, box.top];
  });
}"""


def test_a_long_number_does_not_touch_its_neighbours(lettered: Browser, pages: dict[str, Path]) -> None:
    for width in (320, 390, 1280):
        with opened(lettered, pages["aes-bitmanip"], viewport={"width": width, "height": 844}) as page:
            boxes = page.evaluate(LONG_NUMBER)
            assert len(boxes) == 3
            for (_, right, top), (left, _, other) in pairwise(boxes):
                # A narrow phone has the last one below the others.
                assert left - right > 4 or other - top > 20
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_labels_of_charts_do_not_cover_each_other(browser: Browser, path: Path) -> None:
    for size in (DESK, PHONE):
        with opened(browser, path, viewport=size) as page:
            assert page.evaluate(COVERED, ".chart svg") == []


def test_a_chip_shows_the_claims_of_its_verdict(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        page.click(".chip[data-verdict=contradicted]")
        shown = page.locator(".claim:visible")
        assert shown.count() == 2
        assert {card.get_attribute("data-verdict") for card in shown.all()} == {"contradicted"}
        assert page.text_content(".filter [role=status]") == "2 of 4 shown"
        page.click(".filter button[data-verdict='']")
        assert page.locator(".claim:visible").count() == 4


def test_a_legend_hides_a_series_and_a_baseline_makes_quotients(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        figure = page.locator("#figure-2")
        marks = figure.locator(".chart svg .mark-symbol path")
        before = marks.count()
        figure.locator(".legend button").nth(1).click()
        page.wait_for_function(
            "(n) => document.querySelectorAll('#figure-2 .chart svg .mark-symbol path').length < n", arg=before
        )
        figure.locator("label", has_text="Compared with").locator("select").select_option(index=1)
        page.wait_for_selector("#figure-2 .chart svg text:has-text('relative to')")
        assert figure.locator("tbody tr", has_text="rv32i").first.locator("td.num").first.text_content() == "1.0000"
        figure.locator("label", has_text="Scale").locator("select").select_option(label="log")
        assert page.locator(".chart svg [opacity=NaN]").count() == 0


def test_every_figure_can_be_had_as_a_file(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        for number in (1, 2):
            for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("CSV", b"")):
                with page.expect_download() as waiting:
                    page.click(f"#figure-{number} .downloads button:text-is('{kind}')")
                assert waiting.value.suggested_filename == f"figure-{number}.{kind.lower()}"
                content = Path(waiting.value.path()).read_bytes()
                assert content.startswith(begins) and len(content) > 100
                assert b"var(--" not in content
                if kind == "CSV":
                    assert len({len(line) for line in csv.reader(content.decode().splitlines())}) == 1
