"""What may import what: the layers that docs/design.md lists, and no circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "ciphermark"
LEAST_MODULES = 100


def layers() -> dict[str, int]:
    """Each part's layer, the lowest 0, as the design lists them from the top."""
    text = (ROOT / "docs" / "design.md").read_text().partition("## Python packages")[2].partition("\n## ")[0]
    block = text.split("```")[1].removeprefix("text\n")
    lines = [line.split() for line in block.strip().splitlines()]
    return {part: number for number, line in enumerate(reversed(lines)) for part in line}


def part_of(module: tuple[str, ...]) -> str:
    """``engines`` of ``ciphermark.engines.sim``; the package's own face is ``ciphermark``."""
    return module[1] if len(module) > 1 else module[0]


def modules() -> dict[tuple[str, ...], Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        if "data" not in path.relative_to(PACKAGE).parts:
            name = path.relative_to(PACKAGE.parent).with_suffix("").parts
            found[name[:-1] if name[-1] == "__init__" else name] = path
    return found


def imported(path: Path, known: dict[tuple[str, ...], Path]) -> Iterator[tuple[str, ...]]:
    """Modules of the package that a file names in any import, wherever it stands and whatever it is for."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (tuple(each.name.split(".")) for each in node.names if each.name.split(".")[0] == "ciphermark")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ciphermark":
            module = tuple((node.module or "").split("."))
            for each in node.names:
                inner = (*module, each.name)
                yield inner if inner in known or module == ("ciphermark",) else module


def arrows() -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    known = modules()
    for name, path in known.items():
        for other in imported(path, known):
            # Of the package's face: a name that is a module is one, any other is the face's own.
            target = other if other in known or other == ("ciphermark", "_engine") else ("ciphermark",)
            yield name, target


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
