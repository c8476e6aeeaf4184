"""Whole programs in studies: what they write, what they count, and what a study file may say of them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark import embedded
from ciphermark.build import programs as builds
from ciphermark.errors import MismatchError, RunError, UsageError
from ciphermark.execution.study_run import run_study
from ciphermark.harness.guest import INPUT, OUTPUT, Guest
from ciphermark.kernels import catalogue, programs
from ciphermark.rows.model import Request
from ciphermark.study.load import load
from ciphermark.study.programs import expand_programs

from .real import needs_everything

CUT = """
id = "cut"
title = "Cut"
question = "What do caches do?"

[[programs]]
programs = ["tempofile", "aes-main"]
implementations = ["aes/ttable"]
bits = 128
files = [64]
machines = ["gem5-simple", "gem5-two-level"]

[[controls.repeat]]
id = "again"
sample = 1

[[claims.limit]]
id = "files"
statement = "Files take less than half of the time."
citation = "This test"
definition = "tempofile / aes-main"
where = { machine = "gem5-two-level" }
metric = "ticks"
baseline = { operation = "aes-main", implementation = "aes/ttable", algorithm = "aes-128-cbc+ctr" }
subject = { operation = "tempofile", implementation = "none", algorithm = "none" }
at_most = 0.5
"""

PLAIN = (
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
"""The four blocks of NIST SP 800-38A, F."""
CBC = {
    "128": "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
    "192": "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a",
    "256": "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
}
"""Of the first two, F.2.1, F.2.3 and F.2.5."""
CTR = {
    "128": "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
    "192": "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94",
    "256": "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5",
}
"""F.5.1, F.5.3 and F.5.5."""

QEMU = shutil.which("qemu-riscv64")


@pytest.fixture(autouse=True)
def shared(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))


def elf(name: str, implementation: str | None = "aes/ttable") -> Path:
    loaded = catalogue.load_implementation(implementation) if implementation is not None else None
    return builds.build(name, loaded, builds.target(loaded, "O2")).elf


def run(program: Path, folder: Path, *arguments: str) -> tuple[int | None, bytes]:
    """Exit status and standard output, in the embedded engine."""
    result = embedded.engine().simulate(
        program.read_bytes(), arguments=[b"program", *(each.encode() for each in arguments)], root=str(folder),
        writable=True,
    )  # fmt: skip
    return result.exit_code, bytes(result.console)


@needs_everything
@pytest.mark.parametrize("name", ["aes-main", "aes-thread"])
@pytest.mark.parametrize("bits", ["128", "192", "256"])
def test_published_examples_come_out(name: str, bits: str, tmp_path: Path) -> None:
    text = bytes.fromhex(PLAIN)
    (tmp_path / "text").write_bytes(text)
    status, _ = run(elf(name), tmp_path, bits, "cbc+ctr", "text", "out")
    written = (tmp_path / "out").read_bytes()
    assert status == 0
    assert written[:32].hex() == CBC[bits]
    assert written[64:96].hex() == CTR[bits]
    assert written[128:] == text + text


@needs_everything
@pytest.mark.parametrize("size", [0, 1, 15, 17, 4097])
@pytest.mark.parametrize("mode", ["cbc", "ctr"])
def test_files_of_any_size_come_back(size: int, mode: str, tmp_path: Path) -> None:
    text = programs.text(size)
    (tmp_path / "input").write_bytes(text)
    assert run(elf("aes-main"), tmp_path, "192", mode, "input", "output")[0] == 0
    assert (tmp_path / "output").read_bytes() == programs.find("aes-main").output(f"aes-192-{mode}", text)


@needs_everything
@pytest.mark.skipif(QEMU is None, reason="needs qemu-riscv64")
@pytest.mark.parametrize("name", programs.names(measured=True))
def test_another_emulator_writes_the_same(name: str, tmp_path: Path) -> None:
    has_cipher = programs.find(name).family is not None
    program = elf(name, "aes/ttable" if has_cipher else None)
    algorithm = programs.find(name).algorithms((256,), ())[0]
    (tmp_path / INPUT).write_bytes(programs.text(5000))
    command = programs.find(name).command(algorithm)
    assert run(program, tmp_path, *command)[0] == 0
    ours = (tmp_path / OUTPUT).read_bytes()
    subprocess.run([str(QEMU), str(program), *command], cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / OUTPUT).read_bytes() == ours == programs.find(name).output(algorithm, programs.text(5000))


@needs_everything
def test_files_are_what_the_programs_beside_make_and_count(tmp_path: Path) -> None:
    assert run(elf("make-file", None), tmp_path, "5000", "made") == (0, b"")
    assert (tmp_path / "made").read_bytes() == programs.text(5000)
    assert run(elf("count-chars", None), tmp_path, "made") == (0, b"5000\n")


@needs_everything
@pytest.mark.parametrize(
    "arguments", [(), ("129", "cbc", "input", "output"), ("128", "xts", "input", "output"), ("128", "cbc", "no", "out")]
)
def test_wrong_arguments_end_with_a_status(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"text")
    assert run(elf("aes-main"), tmp_path, *arguments)[0] == 2


@needs_everything
def test_what_is_written_wrong_is_no_figure(tmp_path: Path) -> None:
    loaded = catalogue.load_implementation("aes/ttable")
    target = builds.target(loaded, "O2")
    request = Request("aes-128-cbc", "aes-main", 64)
    guest = Guest("aes-main", builds.build("aes-main", loaded, target), target, request)
    right = programs.find("aes-main").output("aes-128-cbc", programs.text(64))
    with pytest.raises(RunError, match="wrote no file"):
        guest.check(tmp_path, 0)
    (tmp_path / OUTPUT).write_bytes(right)
    guest.check(tmp_path, 0)
    with pytest.raises(RunError, match="status 2"):
        guest.check(tmp_path, 2)
    (tmp_path / OUTPUT).write_bytes(right[:-1] + b"?")
    with pytest.raises(MismatchError, match="byte 127 is another"):
        guest.check(tmp_path, 0)
    (tmp_path / OUTPUT).write_bytes(right[:-1])
    with pytest.raises(MismatchError, match="127 bytes, not 128"):
        guest.check(tmp_path, 0)


@needs_everything
def test_rows_of_programs(study_file: Callable[[str], Path], tmp_path: Path) -> None:
    path = study_file(CUT)
    done = run_study(path, results=tmp_path / "results", fresh=True)
    assert [control.passed for control in done.controls] == [True]
    assert [claim.verdict for claim in done.claims] == ["confirmed"]
    assert len(done.rows) == 2 * (1 + 3)
    assert all(row.verdict == "ok" and row.verified and row.state == "cold" for row in done.rows)
    found = {(row.operation, row.algorithm, row.machine): row for row in done.rows}
    plain, simple, cached = (
        found["tempofile", "none", "gem5-simple"],
        found["aes-main", "aes-128-cbc+ctr", "gem5-simple"],
        found["aes-main", "aes-128-cbc+ctr", "gem5-two-level"],
    )
    assert plain.implementation == "none"
    assert plain.code_bytes == 0
    # gem5's machines execute the same instructions, one after the other, and read all of them from somewhere.
    assert simple.instructions == cached.instructions
    assert simple.cycles is not None and cached.cycles is not None and simple.instructions is not None
    assert simple.ticks == 1000 * simple.cycles
    assert simple.cache_misses is None
    assert cached.cache_misses is not None and cached.dram_reads is not None
    assert cached.dram_reads <= cached.cache_misses
    assert simple.dram_reads is not None and simple.dram_row_hits is not None
    assert simple.instructions < simple.dram_reads
    assert cached.cycles < simple.cycles / 10
    again = run_study(path, results=tmp_path / "results")
    assert again.rows == done.rows
    assert again.manifest["points_measured_now"] == 0


@pytest.mark.parametrize(
    ("written", "wrong", "said"),
    [
        ('"aes-main"]', '"aes-mian"]', "programs.0.programs: there is no program 'aes-mian'"),
        ('"aes-main"]', '"make-file"]', "programs.0.programs: there is no program 'make-file' that can be measured"),
        ("bits = 128", "bits = 129", "programs.0.bits: no key has 129 bits; there are 128, 192, 256"),
        ("bits = 128", 'modes = "xts"', "programs.0: none of these programs has the mode 'xts'"),
        ('"gem5-simple", ', '"gem5-simpel", ', "programs.0.machines: unknown machine 'gem5-simpel'"),
        ("files = [64]", "file = [64]", "unknown key 'programs.0.file'"),
        ('implementations = ["aes/ttable"]', "", "programs.0: aes-main needs `implementations`"),
    ],
)
def test_mistakes_name_file_key_and_rule(
    written: str, wrong: str, said: str, study_file: Callable[[str], Path]
) -> None:
    assert written in CUT
    path = study_file(CUT.replace(written, wrong, 1))
    with pytest.raises(UsageError) as raised:
        load(path)
    assert str(path) in str(raised.value)
    assert said in str(raised.value)


def test_a_study_measures_something(study_file: Callable[[str], Path]) -> None:
    with pytest.raises(UsageError, match="nothing is measured"):
        load(study_file('id = "none"\ntitle = "t"\nquestion = "q"\n'))


def test_what_cannot_be_is_skipped_with_its_reason(study_file: Callable[[str], Path]) -> None:
    vectors = load(study_file(CUT.replace("aes/ttable", "aes/zkne32", 1)))
    reasons = {each.reason for each in expand_programs(vectors).skipped}
    assert any("no code for riscv64" in reason for reason in reasons)
    assert {point.program for point in expand_programs(vectors).points} == {"tempofile"}
    assert {each.reason for each in expand_programs(vectors, ("spike",)).skipped} == {"it takes no whole programs"}
    other = load(study_file(CUT.replace("aes/ttable", "aes/zvkned", 1)))
    assert any("has no V" in each.reason for each in expand_programs(other).skipped)


GOLDEN = {
    ("tempofile", "gem5-simple"): (2944, 215_766_000, 3945, 3655, None),
    ("tempofile", "gem5-two-level"): (2944, 22_018_000, 132, 114, 133),
    ("tempofile", "gem5-ruby-msi"): (2944, 16_251_000, 136, 119, 136),
    ("aes-main", "gem5-simple"): (68239, 6_180_076_000, 103_214, 78_940, None),
    ("aes-main", "gem5-two-level"): (68239, 262_635_000, 257, 197, 258),
    ("aes-main", "gem5-ruby-msi"): (68239, 251_886_000, 267, 208, 267),
}
"""Instructions, ticks, reads and row hits of the DRAM, misses; of what zig 0.17.0 makes, 64 B, 128 bits, `cbc+ctr`. Its
``malloc`` has a place for each hart, so that on several the layout differs."""


@needs_everything
def test_figures_stay_what_they_are(study_file: Callable[[str], Path], tmp_path: Path) -> None:
    text = CUT.replace("aes/ttable", "aes/sbox").replace('"gem5-two-level"]', '"gem5-two-level", "gem5-ruby-msi"]')
    done = run_study(study_file(text.replace("bits = 128", 'bits = 128\nmodes = "cbc+ctr"')), results=tmp_path / "out")
    if not done.manifest["compilers"]["zig"].startswith("zig 0.17.0"):
        pytest.skip("the figures are of zig 0.17.0's code")
    found = {
        (row.operation, row.machine): (
            row.instructions, row.ticks, row.dram_reads, row.dram_row_hits, row.cache_misses,
        )
        for row in done.rows
    }  # fmt: skip
    assert found == GOLDEN
