"""The columns of a row: what it is about, and what is measured. A metric is added here and nowhere else: its entry
makes the column of every output format, its name in claims, plots and tables, how it is printed, and its entry in
report and reference."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Coordinates:
    study: str | None
    """Id of the study; empty for rows of `measure`."""
    algorithm: str
    """Cipher, key size and mode as one name: `aes-128-ctr`; `aes-128-cbc+ctr` for a program that does both modes, and
    `none` for a program without a cipher."""
    operation: str
    """The measured operation: `encrypt`, `block`, `expand-key`, …; or the whole program that ran: `aes-main`."""
    implementation: str
    """`aes/ttable`, or a folder as the user wrote it; `none` for a program without a cipher."""
    isa: str
    """Canonical ISA string, for instance `rv32i_zbb`; for a native build, the architecture and the CPU features that
    the compiler is given, for instance `x86_64+aes+sse4_1`."""
    abi: str
    """`ilp32` or `lp64`: kernels use the soft-float ABI. For a native build `gnu`, linked dynamically against the
    machine's C library, or `musl`, static."""
    compiler: str
    """Name as the user gave it: `zig`, `gcc`, `riscv64-unknown-elf-gcc`, a path."""
    opt: str
    """`O2`, `O3`, `Os`: without the dash."""
    engine: str
    """The engine that executed it."""
    vlen: int | None = None
    """Bits of a vector register of the core that runs the code; the compiler is not told it. Empty for code without
    vectors."""
    machine: str | None = None
    """The core and configuration that cycles are for: `ibex-maxperf`; `ciphermark list machines` shows all. Empty if
    no machine was named and the engine has no default one."""
    memory_latency: int | None = None
    """Cycles from that core's memory request to the response."""
    state: str | None = None
    """`cold`: the first call after reset. `warm`: the last of several calls on the same data. Empty if there
    is no `machine`."""
    size: int
    """Bytes of input: the message, the block, the key, or a program's file."""
    total_bytes: int | None = None
    """Bytes of the message, if it is processed in calls of `size` bytes; times and counts are then for the whole
    message."""

    @property
    def architecture(self) -> str:
        """``isa``; of native code without the CPU features that the implementation's manifest names."""
        return self.isa.partition("+")[0]


KEY_COLUMNS: tuple[str, ...] = tuple(each.name for each in fields(Coordinates) if each.name not in ("study", "abi"))
"""Columns in which two rows of one run must be equal to be of the same thing; the ABI follows from the ISA."""


class Source(Enum):
    """What a metric is read from, and so which engines can know it."""

    OBJECTS = "The compiled objects; every engine."
    COUNTER = (
        "Exact under sim, spike, qemu (system mode, -icount shift=0) and the RTL engines. On host only from "
        "performance counters, in user mode or with the kernel, as provenance says, minus those of as many empty "
        "calls in the same process. Under vm, of the whole guest, including its kernel (-icount)."
    )
    CYCLES = (
        "Under the RTL engines from the core's own counter, mcycle. Under sim with a machine, modelled; provenance has "
        "the error. Under gem5 from its statistics. On host from performance counters. Never otherwise under sim, nor "
        "under spike, qemu or vm: their cycle counter counts instructions or host time."
    )
    TICKS = (
        "Under sim, modelled, of whole programs on a machine whose memory is built from parts; provenance has the "
        "error. Under gem5 from its statistics."
    )
    STACK = "Every engine that runs the bare-metal harness."
    GATES = (
        "Yosys, from datapaths generated from the instructions' descriptions, in studies that request it; every engine."
    )
    SHADOW = (
        "Under sim, in studies that request it: a shadow of every bit follows the secrets of one call, and runs with "
        "other secrets are compared."
    )
    MEMORY = (
        "Under sim, modelled, of whole programs on a machine whose memory is built from parts. Under gem5 from its "
        "statistics."
    )
    CLOCK = "Measured on host. Never an emulator's own time, which is in emulator_cost.csv."

    @property
    def is_modelled(self) -> bool:
        """Whether sim has it from a model of a machine's time, and so with an error."""
        return self in (Source.CYCLES, Source.TICKS)


@dataclass(frozen=True, slots=True)
class Metric:
    """What is said of one metric. ``name`` is the field's or property's own."""

    label: str
    """Name in the report's tables, axes and notes."""
    source: Source
    meaning: str
    words: str = ""
    """Name in sentences and in the terminal; empty if no claim, plot or table may name it."""
    heading: str = ""
    """Heading of a narrow column of the terminal; empty: the name."""
    unit: str = ""
    """Unit of what ``shown`` returns; empty for a count."""
    decimals: int = 0
    """Digits after the point where it is printed in ``unit``."""
    scale: float = 1.0
    """From the column's figure to the one that is shown in ``unit``."""
    column_decimals: int | None = None
    """Digits of the column's figure as it is; ``None``: ``decimals``."""
    less_is_better: bool = True
    name: str = ""

    @property
    def of_object(self) -> bool:
        """Whether it is of the build alone, whatever is executed of it and where."""
        return self.source in (Source.OBJECTS, Source.GATES)

    def shown(self, value: float) -> float:
        """A column's figure in the unit that is shown."""
        return value * self.scale if self.scale != 1 else value

    @property
    def title(self) -> str:
        """Label with unit, for axes and captions; a unit the label already says is not repeated."""
        return f"{self.label} ({self.unit})" if self.unit and "per" not in self.label else self.label

    @property
    def capitalised(self) -> str:
        """The words at the start of a sentence."""
        return self.words[0].upper() + self.words[1:]


def column(*given: Any, **named: Any) -> Any:
    """A field that is a metric, described as :class:`Metric` takes it."""
    return field(default=None, metadata={"metric": Metric(*given, **named)})


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Measurements(Coordinates):
    """The metrics of a row, in the order of its columns; ``None`` is not measured. A property is a metric without a
    column."""

    verified: bool = False
    """Whether the vectors passed, and the digest of the whole output equals the independent library's."""
    # fmt: off
    instructions: int | None = column(
        "Instructions", Source.COUNTER, words="executed instructions", heading="instructions",
        meaning="Executed (retired) instructions of one call, from the callee's first instruction through its "
        "return.",
    )
    call_instructions: int | None = column(
        "Call instructions", Source.COUNTER,
        meaning="Instructions of the harness around the call, measured on an empty function. They are not included "
        "in instructions; times and cycles of host include the harness's loop, and provenance says how long a call of "
        "the empty function takes.",
    )
    instructions_per_byte: float | None = column(
        "Instructions per byte", Source.COUNTER, words="executed instructions per byte", heading="per byte",
        unit="instructions/B", decimals=2,
        meaning="Instructions divided by the bytes of the message. Key expansion is a separate operation.",
    )
    cycles: int | None = column(
        "Cycles", Source.CYCLES, words="cycles", heading="cycles",
        meaning="Clock cycles of one call. On RTL, those of a call of an empty function are subtracted. On host the "
        "harness's loop around the call is included, because a processor overlaps the two.",
    )
    cycles_per_byte: float | None = column(
        "Cycles per byte", Source.CYCLES, words="cycles per byte", heading="cycles/B", unit="cycles/B", decimals=2,
        meaning="Cycles divided by the bytes of the message.",
    )
    ticks: int | None = column(
        "Ticks", Source.TICKS, words="ticks", heading="ticks", unit="ps",
        meaning="Simulated time of a whole program in picoseconds, gem5's ticks: cycles times the clock period. Only "
        "on machines whose memory is built from parts.",
    )
    ticks_error: float | None = column(
        "Error of ticks", Source.TICKS, words="error of ticks", decimals=6,
        meaning="Modelled ticks ÷ gem5's ticks − 1, if gem5 ran the same program in the same study.",
    )
    dram_reads: int | None = column(
        "DRAM reads", Source.MEMORY, words="DRAM reads", heading="DRAM reads",
        meaning="Bursts that the DRAM's devices read, not counting reads that the controller serves from its write "
        "queue.",
    )
    dram_row_hits: int | None = column(
        "DRAM row hits", Source.MEMORY, words="DRAM row hits", heading="row hits",
        meaning="The number of these reads that found their row open.", less_is_better=False,
    )
    cache_misses: int | None = column(
        "Cache misses", Source.MEMORY, words="first-level cache misses", heading="misses",
        meaning="Misses of the first-level caches, instructions and data together. Empty if there are none.",
    )
    dram_reads_per_byte: float | None = column(
        "DRAM reads per byte", Source.MEMORY, words="reads of the DRAM per byte", heading="reads/B", unit="reads/B",
        decimals=3,
        meaning="DRAM reads divided by the bytes of the file.",
    )
    miss_share: float | None = column(
        "Share of misses", Source.MEMORY, words="share of the time that misses cost", heading="miss share", decimals=4,
        meaning="Share of the cycles of fetches and data accesses that misses of the core's own caches cost: all of "
        "these cycles, minus those that the accesses would take if all of them hit. Empty without such a cache.",
    )
    seconds: float | None = column(
        "Time", Source.CLOCK, words="time", unit="µs", scale=1e6, decimals=2, column_decimals=9,
        meaning="Seconds of one call, or of a whole message where the row has total_bytes: the median over "
        "processes of their medians, of wall time minus the time that the process waited for a processor, "
        "if the system accounts for that. The harness's loop around the call is included, and provenance says "
        "how long it takes around an empty function.",
    )
    seconds_q1: float | None = column(
        "Seconds, first quartile", Source.CLOCK, decimals=9,
        meaning="First quartile of all samples.",
    )
    seconds_q3: float | None = column(
        "Seconds, third quartile", Source.CLOCK, decimals=9,
        meaning="Third quartile of all samples.",
    )
    seconds_mad: float | None = column(
        "Seconds, MAD", Source.CLOCK, decimals=9,
        meaning="Median absolute deviation of all samples from their median, not scaled.",
    )
    seconds_low: float | None = column(
        "Seconds, low", Source.CLOCK, decimals=9,
        meaning="Lower end of the confidence interval for seconds (its level is seconds_confidence): the smallest "
        "of the processes' medians, or, with 9 or more processes, as far from the smallest as 95 % allows.",
    )
    seconds_high: float | None = column(
        "Seconds, high", Source.CLOCK, decimals=9,
        meaning="Upper end of that interval, equally far from the largest.",
    )
    seconds_confidence: float | None = column(
        "Seconds, confidence", Source.CLOCK, decimals=4, less_is_better=False,
        meaning="Probability that an interval such as seconds_low to seconds_high contains the true median, if "
        "processes are independent, whatever their distribution: 0.75 with 3 processes, 0.9375 with 5, "
        "at least 0.95 with 6 or more. It follows from the number of processes.",
    )
    bytes_per_second: float | None = column(
        "Throughput", Source.CLOCK, words="throughput", unit="MB/s", scale=1e-6, column_decimals=0,
        less_is_better=False,
        meaning="Message bytes divided by seconds. 1 MB/s is 10^6 bytes per second, in results.csv too; sizes are in "
        "KiB and MiB, 2^10 and 2^20 bytes.",
    )
    clock_hz: float | None = column(
        "Clock", Source.CLOCK, unit="Hz", less_is_better=False,
        meaning="The clock rate of the processor, measured by dependent additions in the same process.",
    )
    code_bytes: int | None = column(
        "Code size", Source.OBJECTS, words="code bytes of the implementation", heading="code B", unit="B",
        meaning="Executable sections of the implementation's own objects, all its algorithms and operations "
        "together. The harness and the C library are not included.",
    )
    rodata_bytes: int | None = column(
        "Read-only data", Source.OBJECTS, words="read-only data bytes", heading="rodata B", unit="B",
        meaning="Constant tables of the implementation's own objects (S-boxes, T-tables).",
    )
    data_bytes: int | None = column(
        "Data", Source.OBJECTS, words="data bytes", unit="B",
        meaning="Initialised writable data of the implementation's own objects.",
    )
    bss_bytes: int | None = column(
        "BSS", Source.OBJECTS, words="bss bytes", unit="B",
        meaning="Zero-initialised data of the implementation's own objects.",
    )
    stack_bytes: int | None = column(
        "Stack", Source.STACK, words="stack bytes", heading="stack B", unit="B",
        meaning="Deepest stack of one call: the stack is painted, the function is called untimed, and the "
        "paint is scanned.",
    )
    static_instructions: int | None = column(
        "Static instructions", Source.OBJECTS, words="instructions in the implementation's code",
        meaning="Instructions in the object code, executed or not. It says nothing about how many are executed.",
    )
    area_nand2: float | None = column(
        "Area", Source.GATES, words="NAND2 equivalents", heading="NAND2", unit="NAND2", decimals=1,
        meaning="Gates of the datapaths of all instructions of the extensions that the implementation's manifest "
        "names, with their decoder, in two-input NAND equivalents, before ABC. 0 for code that names none, on an ISA "
        "with only I, M, A and C; empty if a compiler may have chosen instructions, or an instruction has no datapath.",
    )
    area_depth: int | None = column(
        "Logic depth", Source.GATES, words="levels of logic", heading="depth",
        meaning="Gates on the longest path through those datapaths.",
    )
    leaks: int | None = column(
        "Leaks", Source.SHADOW, words="instructions that leak", heading="leaks",
        meaning="Instructions of the call, or of the key expansion before it, at which a secret reaches a branch, an "
        "address, the length of a vector, or another operand that an attacker may see. 0 is clean: for the path that "
        "was executed, not for all.",
    )
    wall_s: float | None = column(
        "Wall time", Source.CLOCK, unit="s", decimals=9,
        meaning="Mean elapsed time of one call or message, including waiting for the processor.",
    )
    user_s: float | None = column(
        "User time", Source.CLOCK, unit="s", decimals=9,
        meaning="Mean processor time of one call or message in user mode. The system splits user and system time by "
        "sampling at its ticks, which is imprecise for short runs; the sum is exact.",
    )
    sys_s: float | None = column(
        "System time", Source.CLOCK, unit="s", decimals=9,
        meaning="Mean processor time of one call or message in the kernel; as imprecise as user_s.",
    )
    max_rss_kib: int | None = column(
        "Peak memory", Source.CLOCK, unit="KiB",
        meaning="Largest resident set of the measuring process, including harness and libraries.",
    )
    # fmt: on

    @property
    def cpu_s(self) -> float | None:
        """Processor seconds, of user and system together: the division in two is by ticks, the sum is exact."""
        return self.user_s + self.sys_s if self.user_s is not None and self.sys_s is not None else None


_NO_COLUMN = {
    "cpu_s": Metric(
        "Processor time", Source.CLOCK, words="processor time", unit="ms", scale=1e3, decimals=2, column_decimals=9,
        meaning="User and system time together. Not a column: the sum of the two.",
    )
}  # fmt: skip
"""Properties of a row that are metrics."""

METRICS: dict[str, Metric] = {
    name: replace(found, name=name)
    for name, found in (
        *((each.name, each.metadata["metric"]) for each in fields(Measurements) if "metric" in each.metadata),
        *_NO_COLUMN.items(),
    )
}
"""All metrics by name, in the order of the columns."""

if TYPE_CHECKING:
    MetricName = str
else:
    MetricName = Literal[tuple(name for name, metric in METRICS.items() if metric.words)]
"""Those that a claim, plot or table may name."""
