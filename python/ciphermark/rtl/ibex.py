"""lowRISC's Ibex, from its PyPI package: RV32IMC with four versions of its bit manipulation.

What each version implements was measured against the ratified definitions; it is more than Ibex documents.
"""

from collections.abc import Collection
from importlib import metadata
from pathlib import Path

from ciphermark.errors import EngineMissingError, UsageError
from ciphermark.rtl import tools
from ciphermark.rtl.core import Core, needed
from ciphermark.rtl.machines import MOST_LATENCY, Machine
from ciphermark.rtl.simulator import Recipe
from ciphermark.store import paths

_PACKAGE = "pythondata_cpu_ibex"
_MULTIPLIERS = ("none", "slow", "fast", "single-cycle")
_BIT_MANIPULATION = ("none", "balanced", "OTEarlGrey", "full")
_BALANCED = frozenset({"b", "zba", "zbb", "zbs"})
_EARL_GREY = _BALANCED | {"zbc", "zbkb", "zbkc", "zbkx"}
_BASE = frozenset({"c", "zca", "zicsr", "zifencei", "zicntr"})
_MULTIPLY = frozenset({"m", "zmmul"})
_FLAGS = {
    "branch_target_alu": "BranchTargetALU", "writeback_stage": "WritebackStage", "instruction_cache": "ICache",
    "branch_predictor": "BranchPredictor",
}  # fmt: skip
_LATENCIES = {"instruction_latency": "--instruction-latency", "data_latency": "--data-latency"}
"""Parameters that may be absent: cycles until that bus answers, where it is not the memory's latency."""
_PACKAGES = ("util", "secded", "ram_1p", "mubi", "count", "cipher")


class Ibex(Core):
    name = "ibex"
    default = "ibex-maxperf"
    variants = ("rv32i", "rv32i_zbb", "rv32i_zbkb")

    def problem(self) -> str | None:
        if tools.package_folder(_PACKAGE) is None:
            return f"the RTL of Ibex not found: {tools.INSTALL}"
        return tools.problem()

    def version(self) -> str:
        return f"Ibex {metadata.version(_PACKAGE)}"

    def xlens(self, machine: Machine) -> Collection[int]:
        return (32,)

    def extensions(self, machine: Machine) -> Collection[str]:
        return _BASE | _EARL_GREY | (_MULTIPLY if machine.parameters["multiplier"] != "none" else frozenset())

    def arguments(self, machine: Machine) -> tuple[str, ...]:
        given = machine.parameters
        return tuple(
            part for name, option in _LATENCIES.items() if name in given for part in (option, str(given[name]))
        )

    def recipe(self, machine: Machine, isa: str, unit: str | None = None) -> Recipe:
        self.refuse(machine, isa)
        extra = needed(isa)
        version = 2 if extra & (_EARL_GREY - _BALANCED) else 1 if extra & _BALANCED else 0
        return _recipe(machine, version)


def _recipe(machine: Machine, bit_manipulation: int) -> Recipe:
    package = tools.package_folder(_PACKAGE)
    if package is None:
        raise EngineMissingError("the RTL of Ibex is not installed", f"{tools.INSTALL}.")
    site = package / "system_verilog"
    values = {"BitManipulation": bit_manipulation, **_values(machine)}
    primitives = site / "vendor/lowrisc_ip/ip/prim/rtl"
    # What FuseSoC would generate for a technology; Ibex's own verification has it for simulation.
    generated = site / "dv/uvm/core_ibex/common/prim"
    libraries = (site / "rtl", primitives, generated, site / "vendor/lowrisc_ip/ip/prim_generic/rtl")
    includes = (primitives, site / "vendor/lowrisc_ip/dv/sv/dv_utils", site / "rtl")
    return Recipe(
        title=f"{machine.name}, bit manipulation {_BIT_MANIPULATION[bit_manipulation]},",
        options=(
            "-DSYNTHESIS", "-DRVFI", "+libext+.sv",
            *(f"+incdir+{folder}" for folder in includes),
            *(part for folder in libraries for part in ("-y", str(folder))),
            *(f"-G{name}={value}" for name, value in values.items()),
        ),
        sources=(
            *(primitives / f"prim_{name}_pkg.sv" for name in _PACKAGES),
            generated / "prim_pkg.sv",
            site / "rtl/ibex_pkg.sv",
            *_own("top.sv", "bench.cpp"),
        ),
        decided_by=(metadata.version(_PACKAGE),),
    )  # fmt: skip


def _own(*names: str) -> list[Path]:
    return [paths.rtl() / "ibex" / name for name in names]


def _values(machine: Machine) -> dict[str, int]:
    """The top module's parameters. Raises :class:`UsageError` for what Ibex has not."""
    given = dict(machine.parameters)
    latencies = {name: given.pop(name) for name in _LATENCIES if name in given}
    for name, cycles in latencies.items():
        if isinstance(cycles, bool) or not isinstance(cycles, int) or not 1 <= cycles <= MOST_LATENCY:
            raise UsageError(f"machine {machine.name}: {name} must be 1 to {MOST_LATENCY} cycles")
    multiplier = given.pop("multiplier", None)
    if multiplier not in _MULTIPLIERS or given.keys() != _FLAGS.keys():
        raise UsageError(
            f"machine {machine.name}: an Ibex has the parameters multiplier ({', '.join(_MULTIPLIERS)}) and "
            f"{', '.join(_FLAGS)} (true or false), and may have {' and '.join(_LATENCIES)} (cycles)"
        )
    return {
        "Multiplier": _MULTIPLIERS.index(str(multiplier)),
        **{_FLAGS[name]: int(value) for name, value in given.items()},
    }
