"""What may import what: the layers that docs/design.md lists, and no circle."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_pages.house import arrows, modules, part_of

ROOT = Path(__file__).parents[2]
LEAST_MODULES = 100


def layers() -> dict[str, int]:
    """Each part's layer, the lowest 0, as the design lists them from the top."""
    text = (ROOT / "docs" / "design.md").read_text().partition("## Python packages")[2].partition("\n## ")[0]
    block = text.split("```")[1].removeprefix("text\n")
    lines = [line.split() for line in block.strip().splitlines()]
    return {part: number for number, line in enumerate(reversed(lines)) for part in line}


def test_no_arrow_points_up() -> None:
    """A part may use those below it: neither those above, nor those beside it."""
    layer = layers()
    assert len(modules()) > LEAST_MODULES
    wrong = [
        f"{'.'.join(name)} imports {'.'.join(other)}"
        for name, other in arrows()
        if part_of(name) != part_of(other) and layer[part_of(other)] >= layer[part_of(name)]
    ]
    assert wrong == []


def test_every_part_has_its_layer_and_no_layer_names_what_is_not_there() -> None:
    assert set(layers()) == {part_of(name) for name in modules()} | {"_engine"}


def test_no_module_is_part_of_a_circle() -> None:
    uses: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for name, other in arrows():
        if name != other:
            uses.setdefault(name, set()).add(other)
    done: set[tuple[str, ...]] = set()

    def visit(name: tuple[str, ...], above: tuple[tuple[str, ...], ...]) -> None:
        if name in above:
            circle = [".".join(each) for each in (*above[above.index(name) :], name)]
            pytest.fail(" imports ".join(circle))
        if name in done:
            return
        for other in sorted(uses.get(name, ())):
            visit(other, (*above, name))
        done.add(name)

    for name in sorted(uses):
        visit(name, ())
