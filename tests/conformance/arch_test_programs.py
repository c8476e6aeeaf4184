"""Builds riscv-arch-test's scalar suites for the tests here: ELF files, references next to them.

    python tests/conformance/arch_test_programs.py path/to/riscv-arch-test build/arch-test

needs a RISC-V gcc. Release 2 has its reference signatures in the tree; for release 3, ``--spike`` writes
them with Spike.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

_MODEL = Path(__file__).parent / "model"
_ZK = "_zbb_zbc_zbkb_zbkc_zbkx_zknd_zkne_zknh_zksed_zksh"
# The trap tests of release 2 ran on a machine with compressed instructions, but use none themselves.
_EXTENSIONS = {
    "I": "ima_zicsr_zifencei", "M": "ima_zicsr_zifencei", "A": "ima_zicsr_zifencei", "C": "imac_zicsr_zifencei",
    "B": "ima_zicsr_zifencei_zba_zbb_zbc_zbs", "K": "ima_zicsr_zifencei" + _ZK,
    "Zifencei": "ima_zicsr_zifencei", "privilege": "imac_zicsr_zifencei",
}  # fmt: skip
_ZCB = re.compile(r'RVTEST_ISA\("[^"]*Zcb')
_DEFINITION = re.compile(r"\bdef +(\w+) *= *(\w+)")


@dataclass(frozen=True)
class Program:
    """One assembly file of the suite."""

    source: Path
    xlen: int
    suite: str
    elf: Path

    @property
    def isa(self) -> str:
        return f"rv{self.xlen}{_EXTENSIONS[self.suite]}"


def find(tree: Path, out: Path) -> Iterator[Program]:
    for xlen in (32, 64):
        for suite in _EXTENSIONS:
            for source in sorted((tree / f"riscv-test-suite/rv{xlen}i_m/{suite}/src").glob("*.S")):
                yield Program(source, xlen, suite, out / f"rv{xlen}i_m" / suite / f"{source.stem}.elf")


def build(gcc: str, environment: Path, program: Program) -> str | None:
    """Builds one; says what is wrong, if anything."""
    text = program.source.read_text()
    # Each test states what to define for it. Release 2's header defines TEST_CASE_1 itself.
    definitions = {f"-D{name}={value}" for name, value in _DEFINITION.findall(text)}
    if "#define TEST_CASE_1" in (environment / "arch_test.h").read_text():
        definitions.discard("-DTEST_CASE_1=True")
    if program.suite == "privilege":
        definitions.add("-DUNCOMPRESSED")
    program.elf.parent.mkdir(parents=True, exist_ok=True)
    command = [
        gcc, f"-march={program.isa}", "-mabi=" + ("ilp32" if program.xlen == 32 else "lp64"), "-mcmodel=medany",
        "-static", "-nostdlib", "-nostartfiles", f"-DXLEN={program.xlen}", f"-I{_MODEL}", f"-I{environment}",
        f"-T{_MODEL / 'link.ld'}", *sorted(definitions), str(program.source), "-o", str(program.elf),
    ]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "rror" in line]
        return f"{program.source}: {(errors or ['the compiler failed'])[0]}"
    reference = program.source.parent.parent / "references" / f"{program.source.stem}.reference_output"
    if reference.is_file():
        shutil.copy(reference, program.elf.with_suffix(".reference_output"))
    return None


def sign(spike: str, program: Program) -> str | None:
    """Has Spike write the signature."""
    signature = program.elf.with_suffix(".signature")
    command = [
        spike, f"--isa={program.isa}_zicntr_zicclsm", "--priv=mu", f"+signature={signature}",
        "+signature-granularity=4", str(program.elf),
    ]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"{program.elf}: spike: {done.stderr.strip()}" if done.returncode != 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="a checkout of riscv-arch-test, release 2 or 3")
    parser.add_argument("out", type=Path, help="where the programs go")
    parser.add_argument("--gcc", default="riscv64-unknown-elf-gcc")
    parser.add_argument("--spike", metavar="COMMAND", help="write the signatures with this Spike")
    options = parser.parse_args()

    if shutil.which(options.gcc) is None:
        parser.error(f"{options.gcc} not found (Debian and Ubuntu: apt install gcc-riscv64-unknown-elf)")
    # Compressed instructions beyond C (Zcb) are not part of the machine.
    programs = [program for program in find(options.tree, options.out) if not _ZCB.search(program.source.read_text())]
    if not programs:
        parser.error(f"{options.tree} holds no riscv-test-suite/rv32i_m or rv64i_m")
    environment = options.tree / "riscv-test-suite" / "env"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = list(filter(None, pool.map(partial(build, options.gcc, environment), programs)))
        if options.spike and not failures:
            failures = list(filter(None, pool.map(partial(sign, options.spike), programs)))
    sys.stdout.write(f"{len(programs) - len(failures)} of {len(programs)} programs in {options.out}\n")
    sys.stderr.writelines(f"{text}\n" for text in failures)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
