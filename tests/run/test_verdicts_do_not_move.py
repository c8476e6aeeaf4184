"""Verdicts are the same whatever is installed: with zig alone, with a gcc besides, and with another version of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark import toolchain
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.judge import Judgement, judge
from ciphermark.claims.kinds.ratio import RatioClaim
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Row
from ciphermark.study.load import builtin, find, load

from .real import needs_everything
from .rows_for_tests import row

WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
GCC_9 = {"family": "gcc", "version": "9.2", "opt": "O2"}
VERSIONS = {"zig": "0.17.0", "gcc": "12.2.0", "riscv64-unknown-elf-gcc-9": "9.2.0"}


def count(**more: object) -> ValueClaim:
    claim = {"metric": "instructions", "published": 2214, "tolerance": 0.02}
    return ValueClaim.model_validate(WORDS | claim | more)


def judged(claim: Claim, *rows: Row, optional: str = "gcc") -> Judgement:
    return judge(claim, Evidence(rows, optional=frozenset({optional}), versions=VERSIONS))


def test_a_compiler_that_may_be_absent_decides_nothing() -> None:
    zig, gcc = row(instructions=1711), row(instructions=2214, compiler="gcc")
    found = judged(count(holds="any"), zig, gcc)
    assert (found.verdict, found.measured) == ("contradicted", "1,711")
    assert found.reason.endswith(" With gcc 12.2.0 -O2, for comparison only: 2,214.")
    assert judged(count(holds="any"), zig, gcc, optional="clang").verdict == "confirmed"


def test_a_claim_of_a_toolchain_needs_one_of_its_family() -> None:
    found = judged(count(compiled_with=GCC_9), row(instructions=2214), row(instructions=2214, compiler="gcc", opt="O3"))
    assert (found.verdict, found.measured) == ("not testable", None)
    assert found.reason == (
        "Published for gcc 9.2 -O2; nothing was built here with gcc at that level. "
        "Install one: apt install gcc-riscv64-unknown-elf."
    )


@pytest.mark.parametrize(
    ("compiler", "instructions", "verdict"),
    [
        ("gcc", 2214, "confirmed"),
        ("gcc", 2304, "not testable"),
        ("riscv64-unknown-elf-gcc-9", 2214, "confirmed"),
        ("riscv64-unknown-elf-gcc-9", 2304, "contradicted"),
    ],
)
def test_another_version_can_confirm_and_not_contradict(compiler: str, instructions: int, verdict: str) -> None:
    found = judged(
        count(compiled_with=GCC_9), row(instructions=1711), row(instructions=instructions, compiler=compiler)
    )
    assert (found.verdict, found.measured) == (verdict, f"{instructions:,}")
    assert f"Published for gcc 9.2 -O2, measured with {compiler} {VERSIONS[compiler]} -O2." in found.reason
    assert ("cannot contradict it" in found.reason) == (verdict == "not testable")


def test_a_range_over_two_families_confirms_nothing() -> None:
    """2,214 lies between what clang and gcc give, and neither gives it."""
    rows = [row(instructions=1711), row(instructions=2304, compiler="gcc")]
    for claim in (count(), count(compiled_with=GCC_9), count(holds="any")):
        assert judged(claim, *rows).verdict != "confirmed"


def test_the_very_version_decides_where_it_is() -> None:
    rows = [row(instructions=2304, compiler="gcc"), row(instructions=2214, compiler="riscv64-unknown-elf-gcc-9")]
    found = judged(count(compiled_with=GCC_9), *rows)
    assert (found.verdict, found.measured) == ("confirmed", "2,214")


@pytest.mark.parametrize("instructions", [2214, 1711])
def test_a_fact_about_another_program_is_neither_confirmed_nor_contradicted(instructions: int) -> None:
    found = judged(count(program="OpenSSL's function in C"), row(instructions=instructions))
    assert (found.verdict, found.measured) == ("not testable", f"{instructions:,}")
    assert found.reason == (
        "The claim is about OpenSSL's function in C, which is not among the implementations here; another program "
        f"cannot test it. Measured here: {instructions:,}."
    )


def test_a_ratio_is_of_one_toolchain_too() -> None:
    claim = RatioClaim.model_validate(
        WORDS
        | {"metric": "instructions", "baseline": {"isa": "rv32i"}, "subject": {"isa": "rv32i_zbb"}}
        | {"published": 0.2, "tolerance": 0.01, "compiled_with": GCC_9}
    )
    zig = [row(isa="rv32i", instructions=1000), row(isa="rv32i_zbb", instructions=200)]
    gcc = [row(isa="rv32i", instructions=1000, compiler="gcc"), row(isa="rv32i_zbb", instructions=184, compiler="gcc")]
    assert judged(claim, *zig).verdict == "not testable"
    found = judged(claim, *zig, *gcc)
    assert (found.verdict, found.measured) == ("not testable", "0.184×")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("zig", "clang"), ("gcc", "gcc"), ("clang-19", "clang"), ("riscv64-unknown-elf-gcc-13", "gcc"),
        ("/opt/riscv/bin/riscv64-unknown-linux-gnu-gcc", "gcc"), ("/opt/llvm/bin/clang", "clang"),
    ],
)  # fmt: skip
def test_the_family_of_a_compiler(name: str, family: str) -> None:
    assert toolchain.family(name) == family


@pytest.mark.parametrize(
    ("version", "short"),
    [
        ("riscv64-unknown-elf-gcc (12.2.0-14+deb12u1+11+b2) 12.2.0", "12.2.0"),
        ("riscv64-linux-gnu-gcc (Debian 13.3.0-1) 13.3.0", "13.3.0"),
        ("zig 0.17.0 (clang version 22.1.8)", "0.17.0"),
    ],
)
def test_the_version_of_a_compiler_is_its_own(version: str, short: str) -> None:
    assert toolchain.short_version(version) == short


@pytest.mark.parametrize("study", sorted(builtin()))
def test_no_row_of_an_optional_compiler_can_move_a_verdict(study: str) -> None:
    """Whatever they hold: each verdict that does not name a toolchain is the same with such rows and without."""
    loaded = load(find(study))
    optional = loaded.optional_compilers()
    blank = {"instructions": 1000, "code_bytes": 5000, "data_bytes": 1, "bss_bytes": 1, "static_instructions": 900}
    rows: list[Row] = []
    for block in loaded.blocks():
        for implementation in block.implementations:
            for isa in block.isas or ("rv64imc",):
                for operation in block.operations:
                    place = {"implementation": implementation, "isa": isa, "operation": operation, "size": 1024}
                    rows.append(row(algorithm=block.algorithms[0], **place, **blank))
    claims = {claim.id: claim for claim in loaded.claims.all()}
    for factor in (0.2, 0.37, 1.0, 3.0):
        others = [
            row(
                **{name: getattr(each, name) for name in ("implementation", "isa", "operation", "size", "algorithm")},
                **{name: max(1, int(value * factor)) for name, value in blank.items()},
                compiler=compiler,
            )
            for each in rows
            for compiler in optional
        ]
        for claim in claims.values():
            if claim.compiled_with is None:
                alone = judge(claim, Evidence(rows, optional=optional, claims=claims))
                beside = judge(claim, Evidence([*rows, *others], optional=optional, claims=claims))
                assert (beside.verdict, beside.measured) == (alone.verdict, alone.measured), claim.id


# Two studies of RISC-V code in C, smaller: fewer sizes, ISAs and levels.
SMALLER = {
    "chacha-ise": (
        (r"sizes = \[\n[^]]*\]", 'sizes = ["64", "128", "256", "512", "1K"]'),
        (r'"rv64i", "rv64imc"(, "rv64i_zbb")?', '"rv64imc"'),
        (r'opts = \["O2", "O3"\]', 'opts = ["O2"]'),
        (r'vlen = "128\.\.1024"', "vlen = [128, 256]"),
    ),
    "aes-bitmanip": (
        (r'isas = \[\n[^]]*\]', 'isas = ["rv32i", "rv32i_zbb", "rv32i_zkn"]'),
        ('"aes/fixslice", "aes/zkne32", "aes/zkne64"', '"aes/zkne32"'),
        (r'opts = \["O2", "O3", "Os"\]', 'opts = ["O2"]'),
        (r'opts = \["O2", "Os"\]', 'opts = ["O2"]'),
        (r'algorithms = \["aes-128-ecb", "aes-256-ecb"\]', 'algorithms = ["aes-128-ecb"]'),
        (r'algorithms = \["aes-128-cbc"[^]]*\]', 'algorithms = ["aes-128-cbc"]'),
    ),
}  # fmt: skip

Run = Callable[[str, Path | None], Results]


@pytest.fixture
def run(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A study, smaller, with nothing on PATH but what a folder holds."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))

    def run(study: str, folder: Path | None) -> Results:
        text = find(study).read_text()
        for pattern, smaller in SMALLER[study]:
            text, times = re.subn(pattern, smaller, text)
            assert times, pattern
        (tmp_path / f"{study}.toml").write_text(text)
        monkeypatch.setenv("PATH", str(folder or tmp_path / "nothing"))
        return run_study(tmp_path / f"{study}.toml", results=tmp_path / "results")

    return run


def gcc(folder: Path, version: str | None = None) -> Path:
    """A folder with a gcc on it: the one installed, or one that says it is of another version and makes other code."""
    real = shutil.which("riscv64-unknown-elf-gcc") or ""
    folder.mkdir()
    script = folder / "riscv64-unknown-elf-gcc"
    if version is None:
        script.symlink_to(real)
        return folder
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "riscv64-unknown-elf-gcc (GCC) {version}"; exit; fi\n'
        f'case " $* " in *" -c "*) set -- "$@" -O3 -funroll-loops;; esac\nPATH=/usr/bin:/bin exec {real} "$@"\n'
    )
    script.chmod(0o755)
    return folder


@pytest.mark.slow
@needs_everything
@pytest.mark.skipif(shutil.which("riscv64-unknown-elf-gcc") is None, reason="needs riscv64-unknown-elf-gcc")
@pytest.mark.parametrize("study", sorted(SMALLER))
def test_verdicts_with_zig_alone_and_with_two_versions_of_gcc(study: str, run: Run, tmp_path: Path) -> None:
    installed, newer = gcc(tmp_path / "installed"), gcc(tmp_path / "newer", "13.2.0")
    alone, with_gcc, with_newer = (run(study, folder) for folder in (None, installed, newer))
    assert {each.compiler for each in alone.rows} == {"zig"}
    assert {each.compiler for each in with_newer.rows} == {"zig", "gcc"}
    assert figures(with_gcc) != figures(with_newer)
    need = {claim.id for claim in load(find(study)).claims.all() if claim.compiled_with is not None}
    verdicts = [
        {claim.id: claim.verdict for claim in found.claims if claim.id not in need}
        for found in (alone, with_gcc, with_newer)
    ]
    assert verdicts[0] == verdicts[1] == verdicts[2]
    for claim in alone.claims:
        if claim.id in need:
            assert claim.verdict == "not testable"
            assert "Install one: apt install gcc-riscv64-unknown-elf." in claim.reason
    for found in (alone, with_gcc, with_newer):
        for claim in found.claims:
            assert not (claim.id in need and claim.verdict == "contradicted")
            assert not (claim.verdict == "contradicted" and claim.reason.startswith("Confirmed")), claim.id


def figures(results: Results) -> set[tuple[str, int | None]]:
    return {(each.implementation, each.instructions) for each in results.rows if each.compiler == "gcc"}
