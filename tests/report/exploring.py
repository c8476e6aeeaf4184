"""Using the explorer in a browser, as a reader does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ciphermark.rows.model import Row
from report import synthetic

if TYPE_CHECKING:
    from playwright.sync_api import Page


def measured() -> list[Row]:
    """Some on a machine, whose cycles are known by cause."""
    rows = synthetic.rows((16, 1024, 65536), (("zig", "O2"), ("zig", "Os")))
    timed = [
        replace(
            row, machine="rocket", state="warm", opcodes=None, cycles=2 * (row.instructions or 0),
            causes={"issue": row.instructions or 0, "load": row.instructions or 0}, point=f"m{row.point}",
        )
        for row in rows[::40]
        if row.instructions
    ]  # fmt: skip
    return rows + timed


def column(page: Page, name: str) -> list[str]:
    """The cells of a column of the row table that are in sight."""
    found: list[str] = page.evaluate(
        """(name) => {
          const heads = [...document.querySelectorAll('#rows thead th')];
          const place = heads.findIndex((head) => head.querySelector(`button[data-column="${name}"]`));
          return [...document.querySelectorAll('#rows tbody tr[aria-rowindex]')].map(
            (row) => row.cells[place].textContent);
        }""",
        name,
    )
    return found


def numeric(cells: list[str]) -> list[float]:
    return [float(cell.replace(",", "")) for cell in cells if cell]


def tick(page: Page, name: str, *values: str) -> None:
    box = page.locator(f"#filters .filter[data-column={name}]")
    if not box.evaluate("(element) => element.open"):
        box.locator("summary").click()
    for value in values:
        box.get_by_label(value, exact=True).check()


def pin(page: Page, *places: int) -> None:
    """Pin the rows at these places of those in sight."""
    for place in places:
        page.click(f"#rows .open >> nth={place}")
    pinned(page)


def pinned(page: Page) -> None:
    page.wait_for_selector("#pinned[data-pins]:not([data-pins=''])")


def status(page: Page) -> str:
    return page.text_content("#row-status") or ""


CLIPBOARD = """() => { window.taken = []; navigator.clipboard.writeText = async (text) => { taken.push(text); }; }"""


def copied(page: Page, kind: str) -> str:
    page.evaluate(CLIPBOARD)
    page.click(f"#row-copy button[data-copy={kind}]")
    page.wait_for_function("taken.length === 1")
    found: str = page.evaluate("taken[0]")
    return found
