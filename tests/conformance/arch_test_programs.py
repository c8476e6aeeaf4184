"""Builds riscv-arch-test's suites for the tests here: ELF files, references next to them.

    python tests/conformance/arch_test_programs.py path/to/riscv-arch-test build/arch-test

needs a RISC-V gcc, and with ``--clang`` also assembles the suites that gcc's assemblers are too old for. Release 2
has its reference signatures in the tree; for release 3, ``--spike`` writes them with Spike.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

_MODEL = Path(__file__).parent / "model"
_SCALAR = "ima_zicsr_zifencei"
_ZK = "_zbb_zbc_zbkb_zbkc_zbkx_zknd_zkne_zknh_zksed_zksh"
# The trap tests of release 2 ran on a machine with compressed instructions, but use none themselves.
_EXTENSIONS = {
    "E": _SCALAR, "I": _SCALAR, "M": _SCALAR, "A": _SCALAR, "C": "imac_zicsr_zifencei",
    "F": "imaf_zicsr_zifencei", "D": "imafd_zicsr_zifencei", "Zfh": "imaf_zicsr_zifencei_zfh",
    "B": _SCALAR + "_zba_zbb_zbc_zbs", "K": _SCALAR + _ZK, "Zifencei": _SCALAR, "privilege": "imac_zicsr_zifencei",
    "F_Zfa": "imaf_zicsr_zifencei_zfa", "D_Zfa": "imafd_zicsr_zifencei_zfa",
    "Zvk": "imafdv_zicsr_zifencei_zvbb_zvbc_zvkg_zvkned_zvknhb_zvksed_zvksh",
    "Zcb": "imac_zicsr_zifencei_zba_zbb_zcb", "Zicond": _SCALAR + "_zicond", "Zimop": _SCALAR + "_zimop",
    "Zcmop": "imac_zicsr_zifencei_zcmop", "CMO": _SCALAR + "_zicboz", "Zacas": _SCALAR + "_zacas",
}  # fmt: skip
_FOR_CLANG = {"F_Zfa", "D_Zfa", "Zvk", "Zcb", "Zicond", "Zimop", "Zcmop", "CMO", "Zacas"}
# Folder: XLEN. RV32E is the lower half of the registers, so that RV32I runs its programs; their names vary.
_FOLDERS = {"rv32i_m": 32, "rv64i_m": 64, "rv32e_m": 32, "rv32e_unratified": 32}
_FLEN = {"F": 32, "D": 64, "Zfh": 32, "F_Zfa": 32, "D_Zfa": 64, "Zvk": 64}
# Sources of release 3 that are no programs: operands that overlap, which is reserved; a value taken for an address.
_FAULTY = re.compile(r"vsha2c[hl]-e(32|64)\.vv|vsha2ms-e64\.vv|v(andn|rol|ror)\.vx")
_ZCB = re.compile(r'RVTEST_ISA\("[^"]*Zcb')
_SECONDS = 60
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
    for folder, xlen in _FOLDERS.items():
        for suite in _EXTENSIONS:
            for source in sorted((tree / "riscv-test-suite" / folder / suite / "src").glob("*.S")):
                # Those of Zcb are among those of C.
                built = "Zcb" if suite == "C" and _ZCB.search(source.read_text()) else suite
                # The files of Zvk are for both widths.
                for width in (32, 64) if suite == "Zvk" else (xlen,):
                    place = folder if width == xlen else folder.replace(str(xlen), str(width))
                    yield Program(source, width, built, out / place / built / f"{source.stem}.elf")


def build(gcc: str, clang: str | None, environment: Path, program: Program) -> str | None:
    """Builds one; says what is wrong, if anything."""
    text = program.source.read_text()
    # Each test states what to define for it. Release 2's header defines TEST_CASE_1 itself.
    definitions = {f"-D{name}={value}" for name, value in _DEFINITION.findall(text)}
    if "#define TEST_CASE_1" in (environment / "arch_test.h").read_text():
        definitions.discard("-DTEST_CASE_1=True")
    if program.suite == "privilege":
        definitions.add("-DUNCOMPRESSED")
    if flen := _FLEN.get(program.suite):
        definitions.add(f"-DFLEN={flen}")
    program.elf.parent.mkdir(parents=True, exist_ok=True)
    abi = "-mabi=" + ("ilp32" if program.xlen == 32 else "lp64")
    assemble = [
        "-c", f"-march={program.isa}", abi, f"-DXLEN={program.xlen}", f"-I{_MODEL}", f"-I{environment}",
        *sorted(definitions), str(program.source), "-o",
    ]  # fmt: skip
    if clang is not None and program.suite in _FOR_CLANG:
        assemble = [*shlex.split(clang), f"--target=riscv{program.xlen}", "-mno-relax", *assemble]
    else:
        assemble = [gcc, *assemble]
    code = program.elf.with_suffix(".o")
    # The linker need not know the extensions that the assembler does.
    march = f"-march=rv{program.xlen}{_SCALAR}"
    link = [gcc, march, abi, "-static", "-nostdlib", "-nostartfiles", f"-T{_MODEL / 'link.ld'}", str(code), "-o"]
    for command in ([*assemble, str(code)], [*link, str(program.elf)]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "rror" in line]
            return f"{program.source}: {(errors or [f'{command[0]} failed'])[0]}"
    code.unlink()
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
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{program.elf}: spike: no end after {_SECONDS} s"
    return f"{program.elf}: spike: {done.stderr.strip()}" if done.returncode != 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="a checkout of riscv-arch-test, release 2 or 3")
    parser.add_argument("out", type=Path, help="where the programs go")
    parser.add_argument("--gcc", default="riscv64-unknown-elf-gcc")
    parser.add_argument("--clang", metavar="COMMAND", help="also build the newer suites, with this clang")
    parser.add_argument("--spike", metavar="COMMAND", help="write the signatures with this Spike")
    options = parser.parse_args()

    if shutil.which(options.gcc) is None:
        parser.error(f"{options.gcc} not found (Debian and Ubuntu: apt install gcc-riscv64-unknown-elf)")
    programs = [
        program
        for program in find(options.tree, options.out)
        if (options.clang or program.suite not in _FOR_CLANG) and not _FAULTY.match(program.source.stem)
    ]
    if not programs:
        parser.error(f"{options.tree} holds no riscv-test-suite/rv32i_m or rv64i_m")
    environment = options.tree / "riscv-test-suite" / "env"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = list(filter(None, pool.map(partial(build, options.gcc, options.clang, environment), programs)))
        if options.spike and not failures:
            failures = list(filter(None, pool.map(partial(sign, options.spike), programs)))
    sys.stdout.write(f"{len(programs) - len(failures)} of {len(programs)} programs in {options.out}\n")
    sys.stderr.writelines(f"{text}\n" for text in failures)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
