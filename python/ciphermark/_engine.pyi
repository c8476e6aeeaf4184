"""The embedded engine: instruction semantics, interpreter, ELF, disassembly."""

from collections.abc import Callable, Sequence
from typing import Literal, final

__all__ = [
    "Datapath",
    "Dump",
    "ElfInfo",
    "EngineError",
    "Fault",
    "Hot",
    "Isa",
    "OperandField",
    "Port",
    "Roi",
    "SecretFinding",
    "SecretsResult",
    "SimResult",
    "Symbol",
    "TraceDifferences",
    "__version__",
    "builtin_extensions",
    "check_description",
    "check_secrets",
    "compare_description",
    "compare_traces",
    "described_word",
    "description_files",
    "description_header",
    "description_rtl",
    "description_rtl_unit",
    "description_sets",
    "description_table",
    "description_vectors",
    "disassemble",
    "elf_info",
    "generated",
    "instruction_extensions",
    "instruction_sets",
    "other_extensions",
    "parse_isa",
    "profiles",
    "reference_output",
    "section_sizes",
    "simulate",
    "unmodelled",
]

__version__: str

_Parameters = dict[str, bool | int | str]
_Machine = tuple[str, int, _Parameters, tuple[int, int, str, str, list[tuple[str, _Parameters]]] | None]
"""A machine as ``rtl/machines.py`` describes it to the engine."""
_Argument = tuple[int, int, int | None, int]
_Harness = tuple[list[tuple[str, str]], int, list[tuple[str, bool, list[_Argument]]]]
"""Where a harness makes its calls, and what it calls with which secrets: see :func:`check_secrets`."""

class EngineError(Exception):
    """A host-side failure: a malformed ELF, a bad ISA string, a description with errors."""

@final
class Fault:
    pc: int
    word: int | None
    """Instruction word at pc, if it could be fetched."""
    cause: str
    """For instance ``illegal instruction``, ``load access fault``, ``not implemented: F``."""
    rule: str | None
    """The rule of the specification that an illegal instruction breaks, where one is known."""
    address: int | None
    disassembly: str | None
    provided_by: list[str]
    """Extensions that would provide the instruction."""
    message: str
    """All of it in a sentence or two, with what mends it."""
    backtrace: list[str]
    """The calls that led there, the innermost first, as far as the program's unwinding tables tell."""

@final
class Roi:
    """One passage from the begin symbol to the end symbol."""

    instructions: int
    """Of all processes together."""
    processes: list[ProcessResult]
    """What each did, by number; empty if there was only one."""
    cycles: int | None
    """On a machine."""
    spent: dict[str, int] | None
    """The same by what they were spent on, in a supervised run."""
    opcodes: dict[str, int]

@final
class Hot:
    """Executed instructions at an address."""

    address: int
    instructions: int
    cycles: dict[str, int] | None
    """On a machine: by what they were spent on."""
    function: str | None
    offset: int
    """Bytes from the function's start."""
    line: tuple[str, int] | None
    """Source file and line, if the program has debug information."""
    disassembly: str

@final
class Place:
    """An address, and what is there."""

    address: int
    length: int
    """Bytes."""
    flow: Literal["next", "branch", "jump", "call", "return", "trap"]
    function: str | None
    offset: int
    """Bytes from the function's start."""
    line: tuple[str, int] | None
    """Source file and line, if the program has debug information."""
    disassembly: str

@final
class Passage:
    """Every instruction between two addresses, in order."""

    places: list[Place]
    """In ascending order of addresses."""
    spent: list[dict[str, int]]
    """What instructions spent, by cause."""
    steps: list[tuple[int, int]]
    """Of each instruction the number of its place, and of what it spent."""
    is_cut: bool
    """Whether there were more than were asked for."""

@final
class Dump:
    """Statistics since the last reset, or the start."""

    instructions: int
    cycles: int
    ends_at: int
    """Cycles since the start."""
    harts: list[tuple[int, int]]
    """As in :class:`SimResult`."""
    memory: dict[str, dict[str, int]]
    """As in :class:`SimResult`."""

@final
class ProcessResult:
    """A process of a run that had several."""

    pid: int
    parent: int
    """The process that started it; 1 for the first."""
    program: str
    """What it executed last."""
    instructions: int
    exit_code: int | None
    """``None`` if a signal killed it, or if it ran until the run ended."""
    signal: str | None
    """Name of the signal that killed it."""

@final
class SimResult:
    stop: str
    """``exit``, ``fault``, ``signal``, ``deadlock``, ``instruction-limit``, ``time-limit``, ``interrupted``."""
    exit_code: int | None
    """The guest's status; 128 and the signal's number after a signal."""
    signal: str | None
    """Name of the signal that killed a process."""
    deadlock: list[str]
    """What each thread of a process waits for, if none of them can go on."""
    unopened: list[str]
    """Paths that a process could not open because it has no root directory: the first 64 different ones."""
    instructions: int
    """Of all processes together."""
    processes: list[ProcessResult]
    """What each did, by number; empty if there was only one."""
    cycles: int | None
    """On a machine."""
    spent: dict[str, int] | None
    """These cycles by what they were spent on."""
    console: bytes
    """The first 64 MiB of what the guest wrote; empty if a callback took it."""
    fault: Fault | None
    traps: dict[str, int]
    """Traps that the guest's own handlers took, by cause."""
    last_trap: Fault | None
    """The last of them, with its place as the only line of its backtrace."""
    rois: list[Roi]
    breach: str | None
    """Of a run with ``supervise``: the first thing a call did that it may not do. ``reentry``, ``stray-end``,
    ``console``, ``stack``, ``exit``, ``rewritten``."""
    opcodes: dict[str, int] | None
    extensions_used: dict[str, int] | None
    """Executed instructions by the extension that declares them."""
    profile: list[Hot] | None
    """Executed instructions by address, ascending, if asked for."""
    steps: Passage | None
    """The last passage through the timed region, or the run, if asked for."""
    signature: str | None
    """Hex words of begin_signature..end_signature, one a line, if asked for."""
    harts: list[tuple[int, int]]
    """Instructions of each hart and the cycles they took, of a machine whose memory is one of parts."""
    memory: dict[str, dict[str, int]]
    """What the parts of a machine's memory saw, by their names; in gem5's words."""
    dumps: list[Dump]
    """On a machine: statistics that the guest asked for by gem5's markers, and those at its end."""
    engine_seconds: float

@final
class SecretFinding:
    kind: str
    """``branch``, ``jump-target``, ``load-address``, ``store-address``, ``vector-length``, ``element-index``,
    ``system-call``, ``latency``, ``unlisted``."""
    place: Place
    times: int
    source: int
    """Number of the source; 0 if where it began is forgotten."""
    byte: int
    way: list[Place]
    """The instructions that moved it, the last one first."""
    call: str | None
    """The function of the harness's call."""

@final
class SecretsResult:
    stop: str
    """As in :class:`SimResult`."""
    exit_code: int | None
    console: bytes
    fault: Fault | None
    instructions: int
    followed: int
    """Instructions of the calls that count."""
    calls: dict[str, int]
    """How often each function was called."""
    findings: list[SecretFinding]
    engine_seconds: float

@final
class TraceDifferences:
    instructions: int
    """Of the first trace."""
    is_cut: bool
    differences: list[tuple[str, Place, int]]
    """``control`` or ``address``, the instruction, and how many times."""

def check_secrets(
    elf: bytes,
    *,
    harness: _Harness | None = None,
    line: int = 1,
    machine: _Machine | None = None,
    unlisted: Sequence[str] = (),
    isa: str | None = None,
    vlen: int | None = None,
    agnostic_ones: bool = False,
    extensions: Sequence[str] = (),
    memory_bytes: int | None = None,
    linux: bool | None = None,
    arguments: Sequence[bytes] = (),
    root: str | None = None,
    writable: bool = False,
    max_instructions: int | None = None,
    max_seconds: float | None = None,
    message: Callable[[str], None] | None = None,
) -> SecretsResult:
    """Run a program to its end and follow its secrets: what a harness's calls are given (symbols of where they begin
    and end, the register with the function's address, and for each function whether it counts and its secret
    arguments: number, bytes, the argument that says how many times as many, number of the source), or what the program
    marks. ``message`` takes what the engine has to say."""

def compare_traces(
    elfs: Sequence[bytes],
    *,
    harness: _Harness,
    line: int = 1,
    isa: str | None = None,
    vlen: int | None = None,
    agnostic_ones: bool = False,
    extensions: Sequence[str] = (),
    memory_bytes: int | None = None,
    max_seconds: float | None = None,
) -> TraceDifferences:
    """Run the same program with several jobs; in what all that the harness's calls execute and access differs from the
    first run."""

def simulate(
    elf: bytes,
    *,
    isa: str | None = None,
    vlen: int | None = None,
    agnostic_ones: bool = False,
    extensions: list[str] = ...,
    memory_bytes: int | None = None,
    max_instructions: int | None = None,
    max_seconds: float | None = None,
    roi: tuple[str, str] | None = None,
    supervise: list[tuple[str, str]] | None = None,
    histogram: bool = False,
    profile: bool = False,
    trace: str | None = None,
    trace_from: str | None = None,
    trace_to: str | None = None,
    gdb: int | None = None,
    signature_granularity: int | None = None,
    linux: bool | None = None,
    arguments: list[bytes] = ...,
    environment: list[bytes] = ...,
    root: str | None = None,
    writable: bool = False,
    host_time: bool = False,
    seed: int | None = 1,
    max_processes: int = 64,
    strace: bool = False,
    stdin: bool = False,
    terminal: tuple[int, int] | None = None,
    console: Callable[[bytes], None] | None = None,
    error_console: Callable[[bytes], None] | None = None,
    message: Callable[[str], None] | None = None,
    jit: bool = True,
    machine: _Machine | None = None,
    memo: bool = True,
    steps: int | None = None,
    mailbox: int | None = None,
) -> SimResult:
    """Run a bare-metal ELF with HTIF, or a static Linux program. ``extensions`` are paths of CoreDSL files.
    ``isa`` defaults to the ELF's own ``Tag_RISCV_arch``. ``trace`` is a path for a log in Spike's commit format,
    which ``trace_from`` and ``trace_to`` bound by a symbol, an address (``0x...``) or a number of instructions; raises
    ``OSError`` with the path if it cannot be written.
    ``gdb``: a port of this machine (0: any that is free, told to ``message``) at which the run waits for gdb before
    its first instruction; not with ``trace``, ``profile``, ``histogram`` or ``roi``.
    ``jit``: compile hot code; results are the same without.
    ``machine``: count the cycles of a core (its name, the cycles until its memory answers, its parameters, and its
    memory if that is one of parts), and have the guest's counter show them; not with ``trace``. ``memo``: compute each
    schedule of its pipeline once; cycles are the same without. ``steps``: keep so many instructions of the last passage
    through the region, or of the run if there is no region; a cycle each without a machine.
    ``mailbox``: the address of the device that benches of RTL have for a program's console and end, beside HTIF.
    ``roi`` names two symbols that delimit the counted region. ``memory_bytes``: of a bare machine (default: 128 MiB),
    or the most a process may have (4 GiB).
    Of a process (``linux``; default: told from the file): ``arguments`` with the program's name first,
    ``environment`` as ``NAME=value``, ``root`` the host's directory that is its ``/``, read-only unless
    ``writable``; its clocks count instructions unless ``host_time``, its randomness begins at ``seed``
    (``None``: the host's), ``stdin`` lets it read this process's standard input, ``terminal`` gives columns and rows of
    the terminal it writes to. ``console`` and ``error_console`` take what it writes to standard output and standard
    error; ``message`` takes what the engine has to say, ``strace`` lines too.
    ``vlen``: bits of a vector register (default:
    the largest ``zvl*b`` of the ISA string, else 128). ``agnostic_ones``: ones in every element that an
    agnostic policy leaves open."""

@final
class Isa:
    xlen: int
    canonical: str
    """Canonical string, implied extensions not spelt out: ``rv32imc_zbb``."""
    extensions: list[str]
    """All extensions, implied ones too, lower case, canonical order."""

def unmodelled(machine: _Machine) -> str | None:
    """Why ``simulate`` cannot tell the cycles of a machine; ``None`` if it can."""

def parse_isa(text: str) -> Isa: ...
def instruction_extensions() -> dict[str, list[str]]:
    """Mnemonic to the extensions that provide it, simplest first; built-in instructions of both XLENs."""

def instruction_sets() -> dict[str, str]:
    """Mnemonic to the instruction set of ``isa/*.core_desc`` that declares it; both XLENs."""

def builtin_extensions() -> list[tuple[str, str, int]]:
    """Name, one-line description and number of instructions of every extension that is built."""

def other_extensions() -> list[tuple[str, str, str | None]]:
    """Name and one-line description of every extension that is known and not built, and why it is refused; ``None`` if
    it is accepted without effect."""

def profiles() -> list[tuple[str, str]]:
    """Every profile's name, and the ISA string that it stands for."""

@final
class Symbol:
    name: str
    address: int
    size: int

@final
class ElfInfo:
    xlen: int
    entry: int
    isa: str | None
    """``Tag_RISCV_arch``, as the compiler wrote it."""
    compressed: bool
    """True if the header says that there is compressed code."""
    symbols: list[Symbol]

def elf_info(elf: bytes) -> ElfInfo: ...
def section_sizes(object_file: bytes) -> tuple[int, int, int, int, int]:
    """Code, rodata, data, bss bytes and static instructions of a relocatable object."""

def disassemble(
    elf: bytes, *, isa: str | None = None, symbol: str | None = None, extensions: list[str] = ...
) -> list[tuple[int, int, int, str]]:
    """Address, word, length in bytes and text of each instruction (of one function, if named)."""

def generated(size: int, seed: int) -> bytes:
    """xorshift32, one little-endian word after the other: what the harness generates from the same seed."""

def reference_output(algorithm: str, operation: str, key: bytes, iv: bytes, data: bytes) -> bytes:
    """The same operation by an independent library (RustCrypto); the oracle of every digest."""

def check_description(path: str) -> list[str]:
    """Diagnostics of a CoreDSL file, rendered with carets; empty if it is right."""

def compare_description(
    path: str, *, trials: int = 1000, seed: int = 1
) -> tuple[int, list[str], list[tuple[int, str, int, int, str]]]:
    """Hold the instructions a CoreDSL file declares against the built-in ones of the same encoding.

    Number compared; those without a counterpart; and what differs: XLEN, name, differing trials, all trials, an
    example.
    """

def described_word(path: str, xlen: int, word: int, pc: int) -> str | None:
    """The text of a word, if a CoreDSL file declares an instruction of it for this register width."""

def description_files(path: str) -> list[tuple[str, str]]:
    """Path and text of a CoreDSL file and of each file that it imports, none of them built in."""

def description_header(path: str) -> str:
    """C intrinsics and assembler macros for the instructions a CoreDSL file declares."""

def description_sets(path: str) -> list[str]:
    """Names of the extensions a CoreDSL file declares."""

def description_table(path: str) -> list[tuple[str, str, str, str, list[int], str, list[str], list[str]]]:
    """Syntax, encoding, behaviour as written, set, XLENs, class, reads and writes of each instruction declared."""

@final
class OperandField:
    """A field of the instruction word."""

    name: str
    width: int
    parts: list[tuple[int, int, int]]
    """Lowest bit in the word, lowest bit in the field, number of bits; what no part names is 0."""

@final
class Port:
    """A port of a datapath."""

    name: str
    direction: str
    """``input`` or ``output``."""
    width: int
    role: str
    """``register``, ``pc``, ``immediate``, ``result``, ``illegal``; with registers ``clock``, ``reset``, ``valid``."""
    field: OperandField | None
    """Of an immediate; of a register, the field that names it."""
    register: int | None
    """Of a register, what is added to the field's value, or its number if there is no field."""

@final
class Datapath:
    """What an instruction computes, as a module of SystemVerilog."""

    name: str
    """In the description."""
    mnemonic: str
    set: str
    module: str
    verilog: str
    """The module, which needs no other."""
    xlen: int
    stages: int
    length: int
    """Bits of the instruction word."""
    mask: int
    match: int
    destination: OperandField | None
    """The field that names the register for ``rd``."""
    destination_register: int
    """What is added to that field's value, or the register's number if there is no field."""
    ports: list[Port]

def description_rtl(path: str, xlen: int, stages: int = 0) -> tuple[list[Datapath], list[tuple[str, str, str]]]:
    """Datapaths of the instructions that a CoreDSL file and its imports declare, with ``stages`` registers after each.

    Of instructions that have none: name, reason, and the reason with its place.
    """

def description_rtl_unit(path: str, xlen: int, stages: int = 0, modules: list[str] | None = None) -> tuple[str, str]:
    """Name and text of a module that decodes an instruction word for these datapaths, which it instantiates.

    ``modules``: those of the datapaths it has (default: all).
    """

def description_vectors(
    path: str, xlen: int, *, trials: int = 1000, seed: int = 1
) -> list[tuple[str, list[tuple[list[int], int | None, bool]]]]:
    """Random operands for each datapath's module, with what the plain evaluator makes of them.

    Values of the input ports in order; the result, unless nobody sees it; whether the instruction is illegal.
    """
