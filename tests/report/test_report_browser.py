"""The page in headless Chromium: drawn, quiet, offline, on a phone, on paper and in the dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from report import fonts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@contextmanager
def opened(browser: Browser, path: Path, **options: Any) -> Iterator[Page]:
    """The page at ``path``, drawn. Anything said to the console or asked of a network fails the test."""
    said: list[str] = []
    context = browser.new_context(**options)
    page = context.new_page()
    page.on("console", lambda message: said.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: said.append(f"request: {request.url}") if not request.url.startswith("file:") else None,
    )
    try:
        page.goto(path.as_uri())
        page.wait_for_selector("figure:not([data-drawn])", state="detached", timeout=30_000)
        yield page
        assert said == []
    finally:
        context.close()


@pytest.fixture
def path(results: Path) -> Path:
    return results / "report.html"


def test_every_figure_is_drawn(browser: Browser, path: Path) -> None:
    with opened(browser, path) as page:
        marks = page.evaluate(
            "[...document.querySelectorAll('.panel:not([hidden]) .chart')].map((chart) => "
            "chart.querySelectorAll('svg .mark-rect path, svg .mark-symbol path').length)"
        )
        # By ISA and by code size for two widths; by size a small chart for each implementation that has a baseline.
        assert len(marks) == 10
        assert all(count >= 10 for count in marks), marks
        boxes = page.evaluate(
            "[...document.querySelectorAll('.chart svg')].map((svg) => svg.getBoundingClientRect().height)"
        )
        assert all(height > 80 for height in boxes)
        assert page.locator(".chart svg [opacity=NaN]").count() == 0
        spoken = page.get_attribute("#figure-2 .mark-symbol path >> nth=0", "aria-label")
        assert spoken == "aes/sbox, rv32i, Instructions per byte: 190.63"


def test_a_figure_follows_the_readers_choice(browser: Browser, path: Path) -> None:
    from playwright.sync_api import expect

    with opened(browser, path) as page:
        figure = page.locator("#figure-2")
        before = figure.locator("tbody tr").first.text_content() or ""
        figure.locator("select[name=build]").select_option(label="zig -Os")
        expect(figure.locator(".words")).to_contain_text("zig -Os")
        expect(figure.locator("tbody tr").first).not_to_have_text(before, use_inner_text=False)


OVERFLOWING = """() => [...document.querySelectorAll('header, main *, footer')].filter((element) =>
  !element.closest('.scroll, .visually-hidden, svg')
  && (element.getBoundingClientRect().right > innerWidth + 1))
  .map((element) => element.tagName + '.' + element.className)"""


def wider_than_the_window(page: Page, widths: tuple[int, ...]) -> list[object]:
    """Windows in which the page scrolls sideways, and what stands out of it."""
    found: list[object] = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 844})
        needed = page.evaluate("document.documentElement.scrollWidth")
        out = page.evaluate(OVERFLOWING)
        if needed > width or out:
            found.append((width, needed, out))
    return found


def test_a_phone_never_scrolls_sideways(lettered: Browser, path: Path) -> None:
    for width in (320, 768):
        with opened(lettered, path, viewport={"width": width, "height": 844}, device_scale_factor=2) as page:
            page.check("#show-all")
            page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
            page.click("#rows .open >> nth=0")
            page.click("#rows .open >> nth=3")
            page.wait_for_selector("#pinned:not([data-pins=''])")
            page.click("#row-plot summary")
            page.wait_for_selector("#row-plot[data-drawn]")
            page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
            assert wider_than_the_window(page, (width, 320, 360, 390, 768)) == []


@pytest.mark.parametrize("name", fonts.SETS)
def test_a_set_of_fonts_is_all_a_browser_has(
    launch: Callable[[dict[str, str]], Browser], path: Path, tmp_path: Path, name: str
) -> None:
    browser = launch(fonts.SETS[name].environment(tmp_path))
    try:
        with opened(browser, path) as page:
            # Of what is closed nothing is set.
            page.evaluate("document.querySelectorAll('figure details').forEach((element) => { element.open = true; })")
            protocol = page.context.new_cdp_session(page)
            protocol.send("DOM.enable")
            protocol.send("CSS.enable")
            root = protocol.send("DOM.getDocument")["root"]["nodeId"]
            for selector in ("h1", ".words", ".isa"):
                node = protocol.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
                used = protocol.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
                assert used and all(font["familyName"].startswith(fonts.SETS[name].family) for font in used)
    finally:
        browser.close()


def test_the_dark_page_and_its_figures_are_dark(browser: Browser, path: Path) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        with opened(browser, path, color_scheme=scheme) as page:
            colours[scheme] = page.evaluate(
                """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.querySelector('.chart svg text')).fill,
                  getComputedStyle(document.querySelector('.chart svg .mark-rect path')).fill]"""
            )
    assert colours["light"][0] == "rgb(255, 255, 255)"
    assert all(light != dark for light, dark in zip(colours["light"], colours["dark"], strict=True))


def test_on_paper_figures_stay_controls_go_and_details_open(browser: Browser, path: Path) -> None:
    from playwright.sync_api import expect

    with opened(browser, path, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        expect(page.locator("details[data-print]").first).to_have_attribute("open", "")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.is_visible("nav")
        assert not page.is_visible("#filters")
        assert all(chart.is_visible() for chart in page.locator(".chart svg").all())
        assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_hostile_strings_run_nothing(browser: Browser, hostile_results: Path) -> None:
    with opened(browser, hostile_results / "report.html") as page:
        page.check("#show-all")
        page.hover("#figure-2 .mark-symbol path >> nth=0")
        assert page.evaluate("window.broken") is None
        assert page.locator("img").count() == 0
        assert "</script>" in (page.text_content("h1") or "")


def test_no_line_ends_between_a_compiler_and_its_level_or_a_figure_and_its_unit(lettered: Browser, path: Path) -> None:
    parted = """() => {
        const found = [];
        const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            if (node.parentElement.closest("script, style, option, .visually-hidden, details:not([open])")) continue;
            for (const match of node.data.matchAll(/-O[0-3s]|\\d[\\s\\u202f]%/g)) {
                const range = document.createRange();
                range.setStart(node, match.index);
                range.setEnd(node, match.index + match[0].length);
                const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
                if (tops.size > 1) found.push(node.data);
            }
        }
        return found;
    }"""
    with opened(lettered, path, viewport={"width": 320, "height": 800}) as page:
        for width in (320, 360, 390, 430, 500):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(parted) == []
