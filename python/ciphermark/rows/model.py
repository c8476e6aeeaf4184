"""The records that pass between building, measuring, storing and reporting. A metric that was not measured is
``None``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, get_args

from ciphermark.rows.metrics import Measurements

Libc = Literal["gnu", "musl"]
"""ABIs of native builds: linked dynamically against the machine's own C library, or static."""

SCHEMA = 1
"""Version of the files in a results folder; it grows when the format of one of them changes."""

State = Literal["cold", "warm"]
STATES: tuple[State, ...] = get_args(State)

Verdict = Literal["ok", "flagged", "failed", "unsupported", "error"]


@dataclass(frozen=True, slots=True)
class Target:
    """What code is compiled for, and the VLEN of the core it runs on: columns of a row."""

    isa: str
    abi: str
    compiler: str
    opt: str
    vlen: int | None = None
    machine: str | None = None
    """The core it runs on, in one configuration, no part of what is compiled; ``None`` on engines without machines."""
    memory_latency: int | None = None
    """Cycles from that core's memory request to the response."""

    @property
    def native(self) -> bool:
        """Whether it is of an operating system, and not of bare metal."""
        return self.abi in get_args(Libc)

    @property
    def architecture(self) -> str:
        """Architecture of a native build: ``x86_64`` of ``x86_64+aes``."""
        return self.isa.partition("+")[0]

    @property
    def features(self) -> tuple[str, ...]:
        """CPU features that the compiler of a native build is given."""
        return tuple(self.isa.split("+")[1:])


@dataclass(frozen=True, slots=True)
class CodeSizes:
    """Bytes of an implementation's own object files; the harness and libraries are not in it."""

    code_bytes: int
    rodata_bytes: int
    data_bytes: int
    bss_bytes: int
    static_instructions: int | None
    """``None`` of code that is not RISC-V."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A linked program: harness, implementation and, on bare metal, an empty job."""

    elf: Path
    sha256: str
    sizes: CodeSizes
    compiler_version: str
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer: ``data`` in, ``expected`` out. Key schedules are checked through the operations that use
    them."""

    algorithm: str
    operation: str
    key: bytes
    iv: bytes
    data: bytes
    expected: bytes
    source: str
    """For instance ``NIST SP 800-38A F.5.1``; names the vector in every message."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to measure in one ELF: an operation on ``size`` bytes of input."""

    algorithm: str
    operation: str
    size: int
    total: int | None = None
    """Bytes of a whole message that is processed in chained calls of ``size`` bytes, if that is what is measured."""
    state: State | None = None
    """State of caches and predictors, on engines with machines: the first call after reset, or the last of several."""

    @property
    def calls(self) -> int:
        return 1 if self.total is None else self.total // self.size


@dataclass(frozen=True, slots=True)
class Timing:
    """Samples of one :class:`Request` in fresh processes of one run on this machine, per call or, with a total, per
    message."""

    seconds: tuple[tuple[float, ...], ...]
    """Seconds of each sample, by process in the order of rounds: wall time less, where the system accounts for it
    (``waits_known``), the time that the process waited for a processor."""
    wall_s: float
    waits_known: bool
    cpu_s: tuple[tuple[float, ...], ...]
    user_s: float
    """Mean over all samples. The system divides processor time in two by what it saw at its ticks."""
    sys_s: float
    cycles: float | None
    """Median of the processor's own counters, including the harness's loop; ``None`` if they are not granted."""
    instructions: float | None
    """The same, less the harness's own; ``None`` as well if less than the return would be left."""
    kernel_counted: bool
    """Whether cycles and instructions include the kernel's."""
    calls: int
    """Calls in a sample: the median over processes."""
    max_rss_kib: int | None
    clock_hz: float | None
    """Clock rate from dependent additions, one per cycle, in the same processes: the median."""
    clocks_hz: tuple[float, ...] = ()
    call_instructions: float | None = None
    """The harness's own around a call: what a function that only returns takes, less its return."""
    empty_s: float | None = None
    """Median time of a call of that function, in the same loop and processes."""
    refused: str | None = None
    """The symbol of the error for which no counters are granted: ``EACCES``."""


@dataclass(frozen=True, slots=True)
class Measured:
    request: Request
    verified: bool
    """Vectors passed, and the digest of the whole output equals the independent library's."""
    instructions: int | None = None
    """From the callee's first instruction through its ``ret``."""
    call_instructions: int | None = None
    """The harness's own, around the call; not contained in ``instructions``."""
    cycles: int | None = None
    """Less those of a call of a function that only returns, where a bare-metal machine has them."""
    stack_bytes: int | None = None
    opcodes: dict[str, int] | None = None
    """Executed opcodes of the timed region by mnemonic, most executed first (engine ``sim`` only)."""
    failure: str | None = None
    """Why ``verified`` is false, naming the vector."""
    timing: Timing | None = None
    error: str | None = None
    """Why nothing was measured, though no answer was wrong: a deadline, a signal."""
    samples: int = 1
    """Number of runs that were counted; times have their own number."""
    cycles_of_calls: tuple[int, ...] = ()
    """Cycles of every timed call on the same data, in order, on engines with machines; ``cycles`` is the last."""
    causes: dict[str, int] | None = None
    """``cycles`` by cause, largest first, if they are modelled."""
    ticks: int | None = None
    """Picoseconds, of a whole program on a machine with a clock."""
    memory: dict[str, dict[str, int]] | None = None
    """The counters of the parts of such a machine's memory, by part, with gem5's names."""

    def __post_init__(self) -> None:
        # One order, whether just measured or read from a file: rows are written with it, and a resumed run's must be
        # the same to the byte.
        if self.opcodes is not None:
            object.__setattr__(
                self, "opcodes", dict(sorted(self.opcodes.items(), key=lambda item: (-item[1], item[0])))
            )
        if self.causes is not None:
            object.__setattr__(self, "causes", dict(sorted(self.causes.items(), key=lambda item: (-item[1], item[0]))))


@dataclass(frozen=True, slots=True)
class EngineCost:
    """What running the emulator itself cost the host; never a property of the guest."""

    wall_s: float
    user_s: float
    sys_s: float
    max_rss_kib: int


@dataclass(frozen=True, slots=True)
class Driver:
    mode: str
    name: str
    """Name in ``/proc/crypto``: ``cbc-aes-ce``."""
    priority: int


@dataclass(frozen=True, slots=True)
class RanOn:
    processor: str
    """Its name: ``Cortex-A76``."""
    system: str
    """Its kernel: ``Linux 6.12.95``."""
    cpu: int | None = None
    """The number of that processor, where it is this machine's."""


@dataclass(frozen=True, slots=True)
class MeasuredOn:
    """A machine that took measurements, whatever they are of: several may share a sweep."""

    host: str
    """Its name, or its node's in a cluster."""
    processor: str
    system: str


@dataclass(frozen=True, slots=True)
class HarnessReport:
    engine: str
    engine_version: str
    vectors_passed: int
    first_failure: str | None
    """The first vector that failed, with expected and actual bytes; nothing is measured then."""
    measured: tuple[Measured, ...]
    cost: EngineCost | None = None
    described: str | None = None
    """What a native implementation says that it is: a library's version, a driver."""
    unavailable: str | None = None
    """Why a native implementation cannot run here, in its own words; nothing is measured then."""
    run: str | None = None
    """Names what was measured together, interleaved; ``None`` where that is of no consequence."""
    ran_on: RanOn | None = None
    """Where native code ran."""
    drivers: tuple[Driver, ...] = ()
    """Drivers of the kernel, if it does the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Measurements):
    """One point's result. Columns are in the order of the fields, in every output format."""

    constant_time: bool | None = None
    """Whether the call was tested and found to be constant time: `leaks` is 0, and runs with other secrets execute the
    same instructions at the same addresses. Empty if it was not tested: a manifest's claim is never copied."""
    samples: int = 0
    """Number of measurements; 0 for an extrapolated row."""
    provenance: str
    """Engine and version, counter, compiler and version, ELF hash; or `extrapolated from …`."""
    verdict: Verdict
    """`ok` or what went wrong; see below."""
    note: str | None = None
    """What the audit found, or why there is no figure."""
    point: str
    """Hash of everything that determines the result."""
    opcodes: dict[str, int] | None = field(default=None, compare=False)
    """Histogram of the timed region."""
    groups: dict[str, int] | None = field(default=None, compare=False)
    """The same histogram, by the instruction set that declares each instruction."""
    raw: tuple[tuple[float, ...], ...] | None = field(default=None, compare=False)
    """`seconds` of every sample, one list per process, in the order of the run."""
    raw_cpu: tuple[tuple[float, ...], ...] | None = field(default=None, compare=False)
    """Processor time of the same samples, in seconds."""
    run: str | None = field(default=None, compare=False)
    """Name of the run: rows with the same name were measured together."""
    processor: str | None = field(default=None, compare=False)
    """Name of the processor that executed native code."""
    system: str | None = field(default=None, compare=False)
    """Name and version of that machine's kernel."""
    cpu: int | None = field(default=None, compare=False)
    """Number of that processor on that machine."""
    driver: str | None = field(default=None, compare=False)
    """The driver that the kernel chose for the algorithm's mode, if the kernel does the work."""
    call_s: float | None = field(default=None, compare=False)
    """Seconds per call of an empty function in the measuring loop; the time of every call includes them."""
    cycles_of_calls: tuple[int, ...] | None = field(default=None, compare=False)
    """`cycles` of every timed call of a warm measurement, in order; the row's `cycles` are those of the last call."""
    causes: dict[str, int] | None = field(default=None, compare=False)
    """`cycles` by cause, if they are modelled."""
    memory: dict[str, dict[str, int]] | None = field(default=None, compare=False)
    """The counters of each part of a machine's memory for a whole program, by gem5's names."""
    refused: str | None = field(default=None, compare=False)
    """The error with which the system refuses performance counters: `EACCES`."""
    schema: int = field(default=SCHEMA, compare=False)
    """Version of the file format; files of other versions are not read."""

    @property
    def extrapolated(self) -> bool:
        """Whether its figures follow from measured ones by an exact law."""
        return self.verified and self.samples == 0


COLUMNS = tuple(each.name for each in fields(Row) if each.compare)
"""Columns of every format, in order."""
JSON_ONLY = tuple(each.name for each in fields(Row) if not each.compare)
"""Columns of a row that only JSON has: tables, samples, and what tells runs apart."""
