"""How long the report's explorer takes for 100,000 rows: CPU time of the page's thread in headless Chromium.

    benches/explore.py [ROWS]

A filter is everything from the tick to the new table: finding the rows, and drawing those in sight. Exits with 1 if a
filter takes more than its bar. Needs Chromium and the package playwright.
"""

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from ciphermark import report
from ciphermark.rows.model import Row

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from report import synthetic

ROWS = 100_000
BAR_MS = 100.0
ROUNDS = 5

# One line each: what the reader does, and whether the bar is for it.
ASKED = {
    "tick a value": ("document.querySelectorAll('.filter[data-column=isa] input')[{round}].click()", True),
    "type a word": ("type('#row-search', 'ttable o{round}')", True),
    "type part of a hash": ("type('#row-search', 'a{round}f')", True),
    "set a bound": ("type('.filter[data-column=instructions] input', '{round}000')", True),
    "scroll": ("explorer.grid.box.scrollTop = 1000 * ({round} + 1)", True),
    "sort": ("document.querySelector('#rows button[data-column={column}]').click()", False),
    "group": ("choose('[name=group-1]', '{group}')", False),
}
COLUMNS = ("instructions", "implementation", "code_bytes", "size", "isa")

SHOWN = "await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"

TOOLS = """() => {
  const say = (selector, value, kind) => {
    const element = document.querySelector(selector);
    element.value = value;
    element.dispatchEvent(new Event(kind));
  };
  window.type = (selector, value) => say(selector, value, "input");
  window.choose = (selector, value) => say(selector, value, "change");
  choose("#more-filters", "instructions");
}"""


def rows(count: int) -> list[Row]:
    """Each with a point and an instruction count of its own."""
    some = synthetic.rows()
    return [
        replace(
            some[number % len(some)], opt=f"O{number // len(some)}", instructions=1000 + 37 * number % 99_991,
            point=f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}", provenance=f"build {number // 40}", opcodes=None,
        )
        for number in range(count)
    ]  # fmt: skip


def spent_ms(session: CDPSession) -> float:
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"]) * 1000


def measured(page: Page) -> Iterator[tuple[str, float, bool]]:
    """Each action with its median."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(TOOLS)
    for name, (script, barred) in ASKED.items():
        taken = []
        for number in range(ROUNDS):
            asked = script.format(round=number, column=COLUMNS[number], group=("isa", "opt")[number % 2])
            before = spent_ms(session)
            page.evaluate(f"async () => {{ {asked}; {SHOWN} }}")
            taken.append(spent_ms(session) - before)
        yield name, statistics.median(taken), barred
        page.evaluate("document.getElementById('clear-filters').click()")


def main(count: int) -> int:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = report.write(synthetic.write(Path(folder) / "study", rows(count), study={}, claims=[]))
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(path.as_uri())
        page.wait_for_function("window.explorer && explorer.ready", timeout=120_000)
        print(f"{count:,} rows, {path.stat().st_size:,} bytes\n{'':24}{'CPU ms':>8}")
        missed = 0
        for name, taken, barred in measured(page):
            late = barred and taken > BAR_MS
            missed += late
            print(f"{name:24}{taken:>8.1f}" + (f"  over {BAR_MS:g}" if late else ""))
        browser.close()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
