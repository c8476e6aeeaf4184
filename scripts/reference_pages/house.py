"""The figure of the house: which crate and which part of the front uses which, read from the code itself."""

import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "ciphermark"

Module = tuple[str, ...]
"""``ciphermark.engines.sim`` in parts."""


def page() -> str:
    """Two diagrams in Mermaid's language; an arrow leads from what uses to what is used, not around by others."""
    return "\n".join(
        (
            "# The house",
            "",
            "An arrow points from a part to a part that it uses. If one part reaches another both directly and through",
            "others, only the longer way is drawn. [Design](../design.md) explains each part.",
            "",
            "## Crates",
            "",
            *_diagram(crates()),
            "",
            "## Python packages",
            "",
            *_diagram(parts()),
        )
    )


def crates() -> dict[str, set[str]]:
    """Crates of the workspace, and those that each names in its manifest."""
    manifests = {path.parent.name: tomllib.loads(path.read_text()) for path in ROOT.glob("crates/*/Cargo.toml")}
    return {name: set(manifest.get("dependencies", {})) & set(manifests) for name, manifest in manifests.items()}


def parts() -> dict[str, set[str]]:
    """Top-level parts of the front, and those that any of their modules import."""
    uses: dict[str, set[str]] = {}
    for name, other in arrows():
        of, to = part_of(name), part_of(other)
        uses.setdefault(of, set()).update({to} - {of})
    return uses


def part_of(module: Module) -> str:
    """``engines`` of ``ciphermark.engines.sim``; the package's own face is ``ciphermark``."""
    return module[1] if len(module) > 1 else module[0]


def modules() -> dict[Module, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        if "data" not in path.relative_to(PACKAGE).parts:
            name = path.relative_to(PACKAGE.parent).with_suffix("").parts
            found[name[:-1] if name[-1] == "__init__" else name] = path
    return found


def arrows() -> Iterator[tuple[Module, Module]]:
    """Every module with every one it imports, wherever the import stands and whatever it is for."""
    known = modules()
    for name, path in known.items():
        for other in _imported(path, known):
            # Of the package's face: a name that is a module is one, any other is the face's own.
            yield name, other if other in known or other == ("ciphermark", "_engine") else ("ciphermark",)


def _imported(path: Path, known: Mapping[Module, Path]) -> Iterator[Module]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (tuple(each.name.split(".")) for each in node.names if each.name.split(".")[0] == "ciphermark")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ciphermark":
            module = tuple((node.module or "").split("."))
            for each in node.names:
                inner = (*module, each.name)
                yield inner if inner in known or module == ("ciphermark",) else module


def _diagram(uses: Mapping[str, Iterable[str]]) -> list[str]:
    def reached(name: str) -> set[str]:
        direct = set(uses.get(name, ()))
        return direct.union(*map(reached, direct))

    lines = ["```mermaid", "graph TD"]
    for name in sorted(uses):
        around = set().union(*map(reached, uses[name]))
        lines += [f"    {name} --> {other}" for other in sorted(set(uses[name]) - around)]
    return [*lines, "```"]
