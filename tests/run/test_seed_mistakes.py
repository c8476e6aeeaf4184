"""The twelve mistakes of a published comparison, each tried here: the tool refuses or flags it.

``docs/seed-mistakes.md`` is the table of what each mistake was; the numbers are the same.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from ciphermark import build, engines
from ciphermark.claims.claim import Evidence
from ciphermark.claims.judge import Judgement, judge
from ciphermark.engines.qemu import cpu
from ciphermark.errors import MismatchError
from ciphermark.execution.measurement import measure
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.kernels import catalogue
from ciphermark.notation.isa import parse
from ciphermark.rows.model import Row, Target
from ciphermark.study.load import find, load

from .real import needs_everything
from .rows_for_tests import row

pytestmark = needs_everything

STUDY = """
id = "seed"
title = "The comparison again"
question = "What does Zbb do?"

[[matrix]]
implementations = ["aes/sbox"]
isas = ["rv32i", "rv32i_zbb"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = ["16", "64", "256", "1K", "4K", "64K", "1M"]
measure_up_to = "1K"

[[matrix]]
implementations = ["aes/sbox"]
isas = ["rv32i"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["expand-key", "block"]

[[controls.repeat]]
id = "same binary twice"

[[controls.trap]]
id = "Zbb without Zbb"
implementation = "aes/fixslice"
algorithm = "aes-128-ecb"
operation = "encrypt"
size = "64"
isa = "rv32i_zbb"
run_on = "rv32i"
provider = "Zbb"
compiler = "zig"
opt = "O2"
"""


@pytest.fixture(autouse=True)
def cache(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of an empty one: binaries are built once for all tests here."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))


@pytest.fixture(scope="module")
def done(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("seed")
    path = folder / "seed.toml"
    path.write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERMARK_CACHE", str(built))
        return run_study(path, results=folder / "results")


def own_claim(name: str, rows: Sequence[Row]) -> Judgement:
    """A claim of the study ``aes-bitmanip`` on other rows."""
    claims = {claim.id: claim for claim in load(find("aes-bitmanip")).claims.all()}
    return judge(claims[name], Evidence(rows, claims=claims))


def test_1_work_that_does_not_grow_with_the_size_is_refused(tmp_path: Path) -> None:
    """One block is encrypted whatever the size says."""
    mine = Path(shutil.copytree(catalogue.load_implementation("aes/sbox").folder, tmp_path / "mine"))
    entries = mine / "entry_points.c"
    text = entries.read_text()
    assert "ecb_encrypt(out, in, bytes, rk, ROUNDS)" in text
    entries.write_text(text.replace("ecb_encrypt(out, in, bytes, rk", "ecb_encrypt(out, in, bytes ? 16 : 0, rk"))
    with pytest.raises(MismatchError) as raised:
        measure("aes-128-ecb", implementations=[mine], isas=["rv32i"], sizes="16,1K")
    assert "from byte 16" in raised.value.message


def test_2_counts_are_exact_and_no_clock_is_read(done: Results) -> None:
    control = next(control for control in done.controls if control.name == "same binary twice")
    assert control.passed
    assert "every count identical" in control.outcome
    assert all(row.seconds is None and row.bytes_per_second is None for row in done.rows)


def test_3_neither_order_nor_warmth_moves_a_count() -> None:
    def counts(sizes: str) -> dict[int, int | None]:
        rows = measure("aes-128-ecb", implementations=["aes/sbox"], isas=["rv32i"], sizes=sizes)
        return {row.size: row.instructions for row in rows}

    assert counts("16,64,1K") == counts("1K,64,16")
    assert counts("1K")[1024] == counts("16,1K")[1024]


@pytest.mark.skipif(engines.find("qemu").problem() is not None, reason="needs qemu")
def test_4_the_emulator_s_own_cost_is_never_a_row_s(tmp_path: Path) -> None:
    path = tmp_path / "seed.toml"
    path.write_text(STUDY)
    done = run_study(path, results=tmp_path / "results", engine="qemu")
    for each in done.rows:
        assert (each.wall_s, each.user_s, each.sys_s, each.max_rss_kib, each.seconds) == (None,) * 5
    cost = (done.directory / "emulator_cost.csv").read_text()
    assert "CPU Time Used (s)" in cost
    assert "says nothing about the guest" in cost
    assert "Throughput" not in cost
    assert own_claim("time", done.rows).verdict == "not testable"


def test_5_the_core_has_exactly_what_is_named(done: Results) -> None:
    assert cpu(parse("rv32i")).startswith("rv32i,")
    assert "zbb" not in cpu(parse("rv32i"))
    trap = next(control for control in done.controls if control.name.startswith("Zbb without Zbb"))
    assert trap.passed
    assert "illegal instruction" in trap.outcome


def test_6_executed_and_static_counts_and_cycles_are_three_things(done: Results) -> None:
    rows = [each for each in done.rows if each.operation == "encrypt" and each.isa == "rv32i"]
    assert len({each.static_instructions for each in rows}) == 1
    assert len({each.instructions for each in rows}) == len(rows)
    assert {each.cycles for each in rows} == {None}
    assert own_claim("own-instruction-count", rows).verdict == "contradicted"
    assert own_claim("cycles", done.rows).verdict == "not testable"


def test_7_only_the_implementation_s_own_sections_are_sized(done: Results) -> None:
    artifact = build.build(catalogue.load_implementation("aes/sbox"), Target("rv32i", "ilp32", "zig", "O2"))
    measured = next(each for each in done.rows if each.isa == "rv32i")
    assert measured.code_bytes == artifact.sizes.code_bytes
    assert 0 < (measured.code_bytes or 0) < artifact.elf.stat().st_size / 2
    for name in ("own-text", "own-text-zbb", "own-size", "own-instructions"):
        found = own_claim(name, done.rows)
        assert found.verdict == "not testable"
        assert found.reason.startswith("The claim is about the comparison's static binary, ")
    assert own_claim("own-totals", done.rows).verdict == "confirmed"
    assert own_claim("own-data", done.rows).verdict == "confirmed"


def test_8_derived_figures_follow_from_the_measured_and_tables_are_held_together(done: Results) -> None:
    for each in done.rows:
        if each.instructions_per_byte is not None:
            assert each.instructions_per_byte == (each.instructions or 0) / each.size
    found = own_claim("own-throughput-rv32i", done.rows)
    assert found.verdict == "contradicted"
    assert "The two tables disagree" in found.reason
    assert "does not grow with size" in found.reason
    assert "trillion instructions/s" in found.reason
    for name in ("differences", "time-differences", "small-data", "medium-data", "large-data"):
        found = own_claim(name, done.rows)
        assert found.verdict == "contradicted"
        assert "differences between impossible figures" in found.reason
        assert found.measured == "1.4 % fewer instructions"


def test_9_the_key_schedule_is_an_operation_of_its_own(done: Results) -> None:
    count = {(each.operation, each.size): each.instructions or 0 for each in done.rows if each.isa == "rv32i"}
    assert count["expand-key", 16] > 100
    assert count["encrypt", 16] < count["block", 16] + count["expand-key", 16]
    assert next(each for each in done.rows if each.operation == "expand-key").instructions_per_byte is None


def test_10_what_an_extension_did_is_read_from_executed_instructions(done: Results) -> None:
    with_zbb = [each for each in done.rows if each.isa == "rv32i_zbb" and each.samples]
    assert all("Zbb executed: " in (each.note or "") for each in with_zbb)
    unused = measure("aes-128-ecb", implementations=["aes/ttable"], isas=["rv32i_zbb"], sizes="64")
    assert unused[0].note == "no Zbb instruction executed"


def test_11_controls_are_part_of_the_study() -> None:
    for name in ("aes-bitmanip", "sha2-bitmanip"):
        controls = load(find(name)).controls
        assert controls.repeat
        assert controls.trap


def test_12_versions_flags_and_hashes_are_recorded(done: Results) -> None:
    manifest = json.loads((done.directory / "manifest.json").read_text())
    assert manifest["compilers"]["zig"].startswith("zig ")
    assert manifest["engines"]["sim"]
    for binary in manifest["binaries"]:
        assert len(binary["elf_sha256"]) == 64
        assert binary["vectors_passed"] > 0
        assert any("-O2" in command for command in binary["commands"])
    assert all("ELF " in each.provenance for each in done.rows)


def test_the_impossible_throughputs_are_contradicted_without_any_row() -> None:
    for name in ("own-throughput-rv32i", "own-throughput-zbb"):
        found = own_claim(name, [row(verified=False, verdict="failed")])
        assert found.verdict == "contradicted"
        assert "does not grow with size" in found.reason
