"""The README's table is what the tool measures, and what the pages link to exists."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import ciphermark
from ciphermark import embedded, toolchain
from ciphermark.study.expand import Point, expand
from ciphermark.study.load import find, load

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


CORES = {"rv32": "ibex-maxperf", "rv64": "cva6"}
NO_CYCLES = "–"


def figures() -> dict[tuple[str, str], tuple[str, ...]]:
    """Implementation and ISA -> instructions and cycles per byte and code bytes, as the README prints them."""
    lines = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| ")]
    head, *rest = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    found = {}
    for name, *cells in rest:
        for isa, cell in zip(head[1:], cells, strict=False):
            if name.startswith("aes/") and " · " in cell:
                found[name, isa] = tuple(cell.split(" · "))
    return found


@pytest.mark.skipif(
    not embedded.available() or "zig" not in {compiler.name for compiler in toolchain.installed()},
    reason="needs the embedded engine and zig",
)
def test_the_table_is_what_is_measured(
    tmp_path: Path, furnished: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(furnished(tmp_path)))
    said = figures()
    measured = {}
    for name in {implementation for implementation, _ in said}:
        isas = [isa for implementation, isa in said if implementation == name]
        for row in ciphermark.measure("aes-128-ecb", implementations=[name], isas=isas, sizes="1K"):
            cycles = NO_CYCLES if row.isa.endswith("zkn") else warm(name, row.isa)
            measured[name, row.isa] = (f"{row.instructions_per_byte:.2f}", cycles, f"{row.code_bytes:,}")
    assert len(said) == 20
    assert said == measured


def warm(implementation: str, isa: str) -> str:
    (row,) = ciphermark.measure(
        "aes-128-ecb", implementations=[implementation], isas=[isa], sizes="1K", machines=[CORES[isa[:4]]],
        states=["warm"],
    )  # fmt: skip
    return f"{row.cycles_per_byte:.2f}"


def vector_figures() -> dict[tuple[str, int | None], int]:
    """Implementation and VLEN (none without vectors) -> instructions for 1 KiB, as the README prints them."""
    found: dict[tuple[str, int | None], int] = {}
    for line in (ROOT / "README.md").read_text().splitlines():
        names = re.findall(r"`([\w/-]+)`", line)
        if line.startswith("| ") and len(names) == 2 and "/" in names[0]:
            vectors, scalar = names[0], names[1] if "/" in names[1] else f"{names[0].partition('/')[0]}/{names[1]}"
            counts = [int(cell.strip().replace(",", "")) for cell in line.strip("|").split("|")[1:]]
            found[scalar, None] = counts[0]
            found.update({(vectors, 128 << step): count for step, count in enumerate(counts[1:])})
    return found


@pytest.mark.skipif(
    not embedded.available() or "zig" not in {compiler.name for compiler in toolchain.installed()},
    reason="needs the embedded engine and zig",
)
def test_the_vector_table_is_what_is_measured(
    tmp_path: Path, furnished: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(furnished(tmp_path)))
    algorithms = {"aes": "aes-256-ecb", "rijndael256": "rijndael-256-ecb", "chacha20": "chacha20"}
    said = vector_figures()
    measured = {}
    for name in {implementation for implementation, _ in said}:
        vlen = sorted(bits for implementation, bits in said if implementation == name and bits is not None)
        algorithm = algorithms[name.partition("/")[0]]
        for row in ciphermark.measure(algorithm, implementations=[name], sizes="1K", vlen=vlen or ()):
            measured[name, row.vlen] = row.instructions
    assert len(said) == 15
    assert said == measured


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def default_points() -> list[Point]:
    """Of the study that the pages quote, with nothing installed but what `make` installs."""
    study = load(find("aes-bitmanip"))
    compilers, engines = study.optional_compilers(), study.optional_engines()
    points = expand(study).points
    return [point for point in points if point.target.compiler not in compilers and point.engine not in engines]


def test_the_study_s_figures_are_those_of_the_default_installation() -> None:
    points = default_points()
    measured = sum(point.law is None for point in points)
    tutorial, performance = ((ROOT / "docs" / f"{name}.md").read_text() for name in ("tutorial", "performance"))
    assert f"This one has {len(points):,} rows" in tutorial
    said = f"{len(points):,} rows, {measured:,} of them measured and {len(points) - measured:,} extrapolated"
    assert said in " ".join(performance.split())


def test_the_published_reduction_is_contradicted_as_instructions_in_all_pairs() -> None:
    def key(point: Point) -> tuple[str, str, str, str, int]:
        request = point.request
        return point.implementation, point.target.opt, request.algorithm, request.operation, request.size

    points = [point for point in default_points() if point.request.operation in ("encrypt", "decrypt")]
    without, with_zbb = ({key(point) for point in points if point.target.isa == isa} for isa in ("rv32i", "rv32i_zbb"))
    pairs = len(without & with_zbb)
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert "A published saving of 63.1 % for AES with Zbb is in cycles; on Ibex, it is" in readme
    assert f"in all {pairs} pairs" in readme
    assert f"contradicted in all {pairs} pairs" in (ROOT / "docs" / "seed-mistakes.md").read_text()
