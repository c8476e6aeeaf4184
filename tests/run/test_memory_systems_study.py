"""The study of memory systems as it is run: its verdicts, what it leaves out, and what its figures are made from."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.report import write
from ciphermark.rows.model import Row
from ciphermark.rtl.variants import parsed
from ciphermark.study.load import find, load
from ciphermark.study.programs import expand_programs

from .real import needs_everything

pytestmark = pytest.mark.slow

STUDY = "aes-memory-systems"
VERDICTS: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "memory_systems_verdicts.toml").read_text())
ANALYSES = (
    "Ticks",
    "Time relative to the system without caches",
    "Ruby against two levels",
    "Share of cryptography",
    "Time relative to a 256-bit key",
    "Cycles of cryptography per byte",
    "Two threads against one",
    "CBC against CTR",
)
"""Tables of the source's nine analyses: the times of the systems and their improvement are one."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Results:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERMARK_CACHE", str(built))
        return run_study(STUDY, results=tmp_path_factory.mktemp("memory-systems"))


@needs_everything
def test_verdicts_are_those_expected(results: Results) -> None:
    found: dict[str, list[str]] = {}
    for claim in results.claims:
        found.setdefault(claim.verdict, []).append(claim.id)
    assert found == VERDICTS


@needs_everything
def test_every_row_is_verified_and_what_is_left_out_says_why(results: Results) -> None:
    assert {row.verdict for row in results.rows} == {"ok"}
    assert all(row.verified for row in results.rows)
    reasons = [each["reason"] for each in results.manifest["skipped"] if "zvkned" in each["what"]]
    assert len(reasons) == 3
    assert all("does not know what vector accesses take" in reason for reason in reasons)


@needs_everything
def test_each_analysis_of_the_source_has_a_table_with_figures_in_every_line(results: Results) -> None:
    tables = {table.title: table for table in results.tables}
    for title in ANALYSES:
        assert all(any(cell is not None for cell in cells) for _, cells in tables[title].lines), title
    said = " ".join(load(find(STUDY)).notes)
    assert all(title in said for title in ANALYSES)


def varied(results: Results, implementation: str, key: str) -> dict[tuple[str, str], Row]:
    """Rows of variants with another ``key`` than the size of the data cache, by both."""
    found = {}
    for row in results.rows:
        settings = parsed(row.machine or "")[1]
        if row.implementation == implementation and key in settings:
            found[settings["l1d.size"], settings[key]] = row
    return found


@needs_everything
@pytest.mark.parametrize("implementation", ["aes/sbox", "aes/ttable", "aes/zkne64"])
def test_larger_caches_never_cost(results: Results, implementation: str) -> None:
    rows = varied(results, implementation, "l1i.size")
    sizes = ("1K", "2K", "4K", "8K", "16K")
    assert len(rows) == len(sizes) ** 2
    assert len({row.instructions for row in rows.values()}) == 1
    for fixed in sizes:
        for small, large in itertools.pairwise(sizes):
            for before, after in (((small, fixed), (large, fixed)), ((fixed, small), (fixed, large))):
                first, second = rows[before].cycles, rows[after].cycles
                # Replacement may keep a few lines less of the larger one.
                assert first is not None and second is not None and second <= first * 1.001


@needs_everything
def test_tables_need_a_cache_that_holds_them_and_instructions_none(results: Results) -> None:
    def growth(implementation: str) -> float:
        rows = varied(results, implementation, "line")
        small, large = rows["1K", "64"].cycles, rows["32K", "64"].cycles
        assert small is not None and large is not None
        return small / large

    assert growth("aes/ttable") > 1.5
    assert max(growth("aes/sbox"), growth("aes/zkne64")) < 1.1


@needs_everything
def test_the_bottleneck_moves_to_the_files(results: Results) -> None:
    table = next(each for each in results.tables if each.title == "Share of cryptography, by technique")
    largest = {label: [cell[0] for cell in cells if cell is not None][-1] for label, cells in table.lines}
    for system in ("two-level", "ruby-msi"):
        shares = [largest[f"{name} on {system}"] for name in ("sbox", "ttable", "zkne64")]
        assert shares == sorted(shares, reverse=True)
        assert shares[-1] < 0.8 < shares[-2]


@needs_everything
def test_the_report_draws_what_was_varied_and_the_memories(results: Results) -> None:
    page = write(results.directory).read_text()
    assert page.count("data:image/svg+xml;base64,") == 3
    assert re.search(r"Figure \d+\. Cycles per byte, by the sizes of both first-level caches", page)
    assert "Not drawn" not in page


def test_the_largest_files_are_measured_only_in_full() -> None:
    study = load(find(STUDY))
    usual, every = (expand_programs(each).points for each in (study, study.full()))
    assert set(usual) < set(every)
    sizes = [
        {p.request.size for p in points if (p.implementation, p.target.machine) == ("aes/sbox", "gem5-ruby-msi")}
        for points in (usual, every)
    ]
    assert [max(each) for each in sizes] == [1 << 16, 1 << 20]


@pytest.mark.parametrize(
    "plot", ['kind = "heat-map"\nx = "line"', 'kind = "by-isa"\nx = "a"\ny = "b"', 'kind = "by-isa"\ny = "b"']
)
def test_heat_maps_alone_have_axes(plot: str, study_file: Callable[[str], Path]) -> None:
    text = 'id = "s"\ntitle = "s"\nquestion = "q"\n[[programs]]\nprograms = ["tempofile"]\nfiles = [64]\n'
    with pytest.raises(UsageError, match="has `x` and `y`"):
        load(study_file(f'{text}machines = ["gem5-simple"]\n[[plots]]\n{plot}'))
