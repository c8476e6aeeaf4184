"""OpenHW's CVA6, from its PyPI package: RV32IMC and RV64IMC, with or without Zba, Zbb, Zbc and Zbs.

Where it has those, some words that are none of its instructions do not trap: ``pack`` executes as ``zext.h``, and
encodings of a draft's ``crc32`` execute. It has A as well, but the bench's memory has no atomic operations.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from importlib import metadata
from pathlib import Path

from ciphermark.errors import BuildError, EngineMissingError, UsageError
from ciphermark.notation import isa as isa_strings
from ciphermark.rtl import tools
from ciphermark.rtl.core import Core, needed
from ciphermark.rtl.machines import Machine
from ciphermark.rtl.simulator import Recipe, Say
from ciphermark.store import paths

_PACKAGE = "pythondata_cpu_cva6"
_BIT_MANIPULATION = frozenset({"b", "zba", "zbb", "zbc", "zbs"})
_BASE = frozenset({"m", "zmmul", "c", "zca", "zicsr", "zifencei", "zicntr"})
_FILE_LISTS = {32: "Flist.cv32a6_imac_sv0", 64: "Flist.cv64a6_imafdc_sv39"}
"""Those of the core's own configurations that differ from ours least."""
_LIBRARIES = ("common/submodules/common_cells/src", "common/local/util", "core")


class Cva6(Core):
    name = "cva6"
    default = "cva6"
    variants = ("rv64i", "rv64i_zbb", "rv32i", "rv32i_zbb")

    def problem(self) -> str | None:
        if tools.package_folder(_PACKAGE) is None:
            return f"the RTL of CVA6 not found: {tools.INSTALL}"
        return tools.problem()

    def version(self) -> str:
        return f"CVA6 {metadata.version(_PACKAGE)}"

    def xlens(self, machine: Machine) -> Collection[int]:
        return (32, 64)

    def extensions(self, machine: Machine) -> Collection[str]:
        return _BASE | _BIT_MANIPULATION

    def recipe(self, machine: Machine, isa: str, unit: str | None = None) -> Recipe:
        self.refuse(machine, isa)
        if machine.parameters:
            raise UsageError(f"machine {machine.name}: a CVA6 has no parameters")
        return _recipe(machine.name, isa_strings.parse(isa).xlen, not needed(isa).isdisjoint(_BIT_MANIPULATION))


def _recipe(name: str, xlen: int, bit_manipulation: bool) -> Recipe:
    package = tools.package_folder(_PACKAGE)
    if package is None:
        raise EngineMissingError("the RTL of CVA6 is not installed", f"{tools.INSTALL}.")
    site, own = package / "system_verilog", paths.rtl() / "cva6"
    listed = list(_listed(site, _FILE_LISTS[xlen]))

    def derived(folder: Path, say: Say) -> Sequence[Path]:
        return [_edited(Path(each), folder, bit_manipulation) for each in listed if not each.startswith("+")]

    return Recipe(
        title=f"{name}, RV{xlen} {'with' if bit_manipulation else 'without'} bit manipulation,",
        options=(
            "-DSYNTHESIS", "-DVERILATOR=1", "-DRVFI_TRACE", f"-DCIPHERMARK_XLEN={xlen}", "+libext+.sv",
            *(each for each in listed if each.startswith("+")),
            *(part for folder in _LIBRARIES for part in ("-y", str(site / folder))),
        ),
        sources=(own / "top.sv", own / "bench.cpp"),
        decided_by=(metadata.version(_PACKAGE), str(bit_manipulation), _configuration().read_text()),
        derived=derived,
    )  # fmt: skip


def _configuration() -> Path:
    return paths.rtl() / "cva6" / "config.sv"


def _listed(site: Path, name: str) -> Iterator[str]:
    """Options and files that a list of the package names, in order, without what our configuration has not."""
    for line in (site / "core" / name).read_text().splitlines():
        entry = line.strip().replace("${CVA6_REPO_DIR}", str(site))
        floating_point = "/fpu" in entry and not entry.endswith("fpnew_pkg.sv")
        if entry and not entry.startswith("//") and not floating_point and "instr_tracer" not in entry:
            yield entry


def _edited(path: Path, folder: Path, bit_manipulation: bool) -> Path:
    """What is read in place of a file of the package."""
    if path.name.endswith("_config_pkg.sv"):
        return _configuration()
    edits = {
        # A constant, off in all of the core's own configurations.
        "ariane_pkg.sv": (r"BITMANIP = 1'b0", f"BITMANIP = 1'b{bit_manipulation:d}"),
        # What is not for synthesis there writes a line for every instruction into a file in the current folder.
        "cva6.sv": (r"// ?pragma translate_off.*?// ?pragma translate_on", ""),
    }
    if path.name not in edits:
        return path
    text, found = re.subn(*edits[path.name], path.read_text(), flags=re.DOTALL)
    if not found or "$fopen" in text:
        raise BuildError(f"this version of CVA6 is not known: {path} differs from what is expected")
    edited = folder / path.name
    edited.write_text(text)
    return edited
