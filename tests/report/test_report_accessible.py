"""No page breaks a rule of accessibility that axe-core can check, light or dark, wide or narrow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ciphermark import report
from report import declared

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = Path(__file__).parents[2] / "target" / "axe" / "package" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[Any]:
    """Of the page as it is."""
    if not AXE.is_file():
        pytest.skip("needs axe-core (npm pack axe-core, unpacked in target/axe; .ci/run does so)")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("(tags) => axe.run(document, { runOnly: tags, resultTypes: ['violations'] })", TAGS)
    return [
        (rule["id"], node["target"], node.get("failureSummary", "")[:200])
        for rule in found["violations"]
        for node in rule["nodes"][:3]
    ]


def broken(browser: Browser, path: Path, scheme: Literal["light", "dark"], width: int) -> list[Any]:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("figure:not([data-drawn])", state="detached", timeout=60_000)
        page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
        return violations(page)
    finally:
        context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_the_page_breaks_no_rule(browser: Browser, results: Path, scheme: Literal["light", "dark"], width: int) -> None:
    found = broken(browser, results / "report.html", scheme, width)
    assert found == [], found


def test_nor_does_the_index(browser: Browser, tmp_path: Path) -> None:
    report.write(declared.write(tmp_path / "sha2-bitmanip", "sha2-bitmanip"))
    index = report.write_index(tmp_path)
    assert index is not None
    assert broken(browser, index, "light", 1280) == []
