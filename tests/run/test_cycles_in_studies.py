"""Rows of cores in RTL in a study: they answer in cycles, and change nothing that is said of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ciphermark import engines
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.reduction import ReductionClaim
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.errors import BuildError
from ciphermark.execution.study_run import run_study
from ciphermark.report import cycles
from ciphermark.report.effects import effects
from ciphermark.report.headline import main_table
from ciphermark.rows.model import Row, Target
from ciphermark.rtl.machines import Machine
from ciphermark.store import downloads
from ciphermark.study.expand import expand
from ciphermark.study.headline import Headline
from ciphermark.study.load import builtin, find, load

from .conftest import SMALL
from .fake_world import World, WorldEngine
from .rows_for_tests import row

WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
ZBB: dict[str, Any] = {
    "metric": "cycles", "beside": "instructions", "baseline": {"isa": "rv32i"}, "subject": {"isa": "rv32i_zbb"},
    "published": 0.631, "tolerance": 0.02,
}  # fmt: skip
OF_MACHINES = {"engine", "machine", "memory_latency", "state"}


def on(machine: str, **given: Any) -> Row:
    return row(engine="ibex-rtl", machine=machine, memory_latency=1, state="warm", **given)


def pair(make: Callable[..., Row], before: int, after: int, **more: Any) -> list[Row]:
    return [
        make(isa="rv32i", instructions=before, cycles=more.get("cycles", (None, None))[0]),
        make(isa="rv32i_zbb", instructions=after, cycles=more.get("cycles", (None, None))[1]),
    ]


def small(**given: Any) -> Row:
    return on("ibex-small", **given)


def test_two_machines_are_two_figures() -> None:
    claim = ValueClaim.model_validate(
        WORDS | {"metric": "cycles", "published": 100, "tolerance": 0.02, "where": {"engine": "ibex-rtl"}}
    )
    found = judge(claim, [on("ibex-small", cycles=150), on("ibex-maxperf", cycles=100)])
    assert (found.verdict, found.measured) == ("contradicted", "100 to 150")
    assert "ibex-small warm" in found.reason


def test_a_claim_of_cycles_is_judged_on_the_engine_it_names_alone() -> None:
    claim = ReductionClaim.model_validate(WORDS | ZBB | {"where": {"engine": "ibex-rtl"}})
    rows = [*pair(row, 1000, 369), *pair(small, 1000, 369, cycles=(1500, 1200))]
    found = judge(claim, rows)
    assert (found.verdict, found.measured) == ("contradicted", "20.0 %")


def test_without_such_an_engine_the_others_say_that_they_know_no_cycles() -> None:
    claim = ReductionClaim.model_validate(WORDS | ZBB | {"where": {"engine": "ibex-rtl"}})
    found = judge(claim, pair(row, 1000, 369))
    assert (found.verdict, found.measured) == ("not testable", None)
    assert found.reason.startswith(
        "The engine sim does not report cycles without a machine, and no other metric is substituted. For comparison"
    )
    value = ValueClaim.model_validate(
        WORDS | {"metric": "cycles", "published": 100, "tolerance": 0.02, "where": {"engine": "rocket-rtl"}}
    )
    assert judge(value, [row(instructions=9)]).reason.startswith("The engine sim does not report cycles")


def of_model(cycles: int, machine: str = "ibex-small", **more: Any) -> Row:
    return row(engine="sim", machine=machine, memory_latency=1, cycles=cycles, **({"state": "warm"} | more))


def published(cycles: int, **more: Any) -> ValueClaim:
    where = {"machine": ["ibex-small", "rocket"]}
    return ValueClaim.model_validate(
        WORDS | {"metric": "cycles", "published": cycles, "tolerance": 0.05, "where": where} | more
    )


def test_what_was_measured_in_rtl_decides_and_not_its_model() -> None:
    found = judge(published(100), [of_model(150), small(cycles=100)])
    assert (found.verdict, found.measured) == ("confirmed", "100")
    assert "modelled" not in found.reason


def test_an_exact_model_decides() -> None:
    found = judge(published(100), [of_model(150)])
    assert found.verdict == "contradicted"
    assert found.reason.endswith("Cycles are modelled; warm calls on ibex-small are equal to RTL.")


def test_a_model_does_not_decide_what_is_finer_than_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(**more: Any) -> tuple[str, str]:
        found = judge(published(100, **more), [of_model(100, machine="rocket", state="cold")])
        return found.verdict, found.reason

    monkeypatch.setattr(Machine, "error", lambda self, state: None)
    verdict, reason = said()
    assert verdict == "not testable"
    assert reason.startswith("Cycles are modelled; cold calls on rocket are not validated. The error could change")
    monkeypatch.setattr(Machine, "error", lambda self, state: 0.06 if state == "cold" else 0.0)
    assert said()[0] == "not testable"
    assert said(published=120)[0] == "contradicted"
    assert said(published=111)[0] == "not testable"
    verdict, reason = said(tolerance=0.07)
    assert verdict == "confirmed"
    assert reason.endswith("cold calls on rocket are 6 % off RTL on average.")


def speaks_of_machines(claim: Claim) -> bool:
    parts = (claim.where, getattr(claim, "baseline", None), getattr(claim, "subject", None))
    return any(OF_MACHINES & part.columns().keys() for part in parts if part is not None and hasattr(part, "columns"))


@pytest.mark.parametrize("study", ["aes-bitmanip", "chacha-ise"])
def test_rows_in_rtl_move_no_other_claim_and_not_the_headline(study: str) -> None:
    loaded = load(find(study))
    rows = [
        row(algorithm=block.algorithms[0], implementation=name, isa=isa, operation=operation, size=1024,
            instructions=1000 + 10 * len(name + isa), code_bytes=5000, static_instructions=900)
        for block in loaded.blocks() if block.engine == "sim"
        for name in block.implementations for isa in block.isas or ("rv64imc",) for operation in block.operations
    ]  # fmt: skip
    joined = [replace(each, engine="ibex-rtl", machine="ibex-small", state="warm", cycles=7, instructions=3)
              for each in rows]  # fmt: skip
    claims = {claim.id: claim for claim in loaded.claims.all()}
    others = [claim for claim in claims.values() if not speaks_of_machines(claim)]
    assert len(others) > 10
    for claim in others:
        assert judge(claim, Evidence([*rows, *joined], claims=claims)) == judge(claim, Evidence(rows, claims=claims))
    where = loaded.headline.where.columns() | {"size": (1024,)}
    headline = loaded.headline.model_copy(update={"where": type(loaded.headline.where).model_validate(where)})
    assert main_table([*rows, *joined], headline) == main_table(rows, headline)
    assert effects([*rows, *joined], headline) == effects(rows, headline)


RTL = """
[[matrix]]
engine = "core-rtl"
when_present = true
machines = "core-small"
states = ["warm"]
implementations = ["aes/sbox", "aes/fixslice"]
isas = ["rv32i", "rv32i_zbb"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = "1K"

[[controls.repeat]]
id = "twice"
sample = 4
"""


class CoreEngine(WorldEngine):
    machines = ("core-small",)
    knows_cycles = True
    broken: BuildError | None = None
    prepared = 0

    def memory_latency(self, machine: str) -> int:
        return 1

    def prepare(self, target: Target, descriptions: Sequence[Path], say: Callable[[str], None]) -> None:
        self.prepared += 1
        if self.broken is not None:
            raise self.broken


@pytest.fixture
def core(world: World) -> CoreEngine:
    world.engines["core-rtl"] = engine = CoreEngine("core-rtl")
    return engine


def run(study_file: Callable[[str], Path], tmp_path: Path, text: str) -> Any:
    return run_study(study_file(text), results=tmp_path / "results")


def test_a_study_has_both(core: CoreEngine, world: World, study_file: Callable[[str], Path], tmp_path: Path) -> None:
    alone = run(study_file, tmp_path, SMALL)
    both = run(study_file, tmp_path, SMALL + RTL)
    assert [each for each in both.rows if each.machine is None] == list(alone.rows)
    found = [each for each in both.rows if each.machine is not None]
    assert len(found) == 4
    assert all(each.cycles is not None and each.state == "warm" for each in found)
    (control,) = both.controls
    assert control.passed
    # Of the 28 measured points that counts are of, none is of the core.
    assert control.outcome.startswith("28 points of 4 binaries")


def test_an_engine_that_is_absent_is_left_out_and_said_so(
    core: CoreEngine, study_file: Callable[[str], Path], tmp_path: Path
) -> None:
    core.missing = "its RTL not found"
    done = run(study_file, tmp_path, SMALL + RTL)
    assert {each.engine for each in done.rows} == {"sim"}
    assert "note: engine core-rtl was left out: its RTL not found" in done.manifest["remarks"]


def test_one_whose_simulator_cannot_be_built_is_no_failure_of_the_run(
    core: CoreEngine, study_file: Callable[[str], Path], tmp_path: Path
) -> None:
    core.broken = BuildError("mvn failed with status 1")
    done = run(study_file, tmp_path, SMALL + RTL)
    lost = [each for each in done.rows if each.engine == "core-rtl"]
    assert {(each.verdict, each.note) for each in lost} == {("unsupported", "mvn failed with status 1")}
    assert (len(lost), core.prepared) == (4, 1)
    again = run(study_file, tmp_path, SMALL + RTL.replace("when_present = true\n", ""))
    assert all(each.instructions for each in again.rows if each.engine == "core-rtl")


def test_the_answer_in_cycles() -> None:
    rows = [
        *pair(small, 1000, 900, cycles=(2000, 1900)),
        *pair(lambda **given: on("ibex-maxperf", **given), 1000, 900, cycles=(1000, 980)),
        *pair(row, 1000, 900),
    ]
    (said,) = cycles.sentences(rows, Headline.model_validate({"baseline": {"32": "rv32i"}}))
    assert said.replace("\u202f", " ") == (
        "In cycles, on `ibex-small` and `ibex-maxperf` (aes-128-ecb encrypt, 64 B, warm), `rv32i_zbb` instead of "
        "`rv32i` changes `aes/sbox` by −5.0 % to −2.0 % (−10.0 %); in brackets, its executed instructions."
    )


def test_instructions_of_ones_own_are_compared_with_the_best_without() -> None:
    def rocket(machine: str, implementation: str, cycles: int) -> Row:
        return on(machine, isa="rv64i", implementation=implementation, cycles=cycles, instructions=cycles)

    rows = [
        rocket("rocket", "chacha20/rv64i", 1000), rocket("rocket", "chacha20/reference", 2000),
        rocket("rocket-scie", "chacha20/ise-v1", 250), rocket("rocket-rocc", "chacha20/ise-v1", 1500),
    ]  # fmt: skip
    (said,) = cycles.sentences(rows, Headline(), ["chacha20/ise-v1"])
    assert "takes 0.25 times as many on `rocket-scie` (`chacha20/ise-v1`)" in said
    assert "1.50 times as many on `rocket-rocc`" in said
    assert said.endswith("as the best without, `chacha20/rv64i` on `rocket`.")


def test_engines_that_are_cores_are_optional_in_every_study() -> None:
    for name in builtin():
        study = load(find(name))
        cores = {block.engine for block in study.blocks() if engines.find(block.engine or engines.DEFAULT).machines}
        assert cores <= study.optional_engines()


def test_cores_in_rtl_are_left_out_unless_asked_for() -> None:
    with downloads.patience(False):
        expansion = expand(load(find("chacha-ise")))
    assert {point.engine for point in expansion.points} == {"sim"}
    assert any("`ciphermark run --rtl`" in item.reason for item in expansion.skipped)


def test_aes_is_answered_in_cycles_without_them() -> None:
    with downloads.patience(False):
        points = expand(load(find("aes-bitmanip"))).points
    assert {point.target.machine for point in points} == {None, "ibex-small", "ibex-maxperf", "cva6", "rocket"}
