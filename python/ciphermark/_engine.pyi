"""The embedded engine: instruction semantics, interpreter, ELF, disassembly."""

from collections.abc import Callable
from typing import final

__all__ = [
    "ElfInfo",
    "EngineError",
    "Fault",
    "Isa",
    "Roi",
    "SimResult",
    "Symbol",
    "__version__",
    "builtin_extensions",
    "check_description",
    "compare_description",
    "description_header",
    "description_sets",
    "description_table",
    "disassemble",
    "elf_info",
    "instruction_extensions",
    "parse_isa",
    "reference_output",
    "section_sizes",
    "simulate",
]

__version__: str

class EngineError(Exception):
    """A host-side failure: a malformed ELF, a bad ISA string, a description with errors."""

@final
class Fault:
    pc: int
    word: int | None
    """Instruction word at pc, if it could be fetched."""
    cause: str
    """For instance ``illegal instruction``, ``load access fault``, ``not implemented: F``."""
    address: int | None
    disassembly: str | None
    provided_by: list[str]
    """Extensions that would provide the instruction."""
    message: str
    """All of it in a sentence or two, with what mends it."""

@final
class Roi:
    """One passage from the begin symbol to the end symbol."""

    instructions: int
    opcodes: dict[str, int]

@final
class SimResult:
    stop: str
    """``exit``, ``fault``, ``instruction-limit``, ``time-limit``, ``interrupted``."""
    exit_code: int | None
    instructions: int
    console: bytes
    """The first 64 MiB of what the guest wrote; empty if a callback took it."""
    fault: Fault | None
    rois: list[Roi]
    opcodes: dict[str, int] | None
    extensions_used: dict[str, int] | None
    """Executed instructions by the extension that declares them."""
    signature: str | None
    """Hex words of begin_signature..end_signature, one a line, if asked for."""
    engine_seconds: float

def simulate(
    elf: bytes,
    *,
    isa: str | None = None,
    vlen: int | None = None,
    extensions: list[str] = ...,
    memory_bytes: int = ...,
    max_instructions: int | None = None,
    max_seconds: float | None = None,
    roi: tuple[str, str] | None = None,
    histogram: bool = False,
    trace: str | None = None,
    signature_granularity: int | None = None,
    console: Callable[[bytes], None] | None = None,
) -> SimResult:
    """Run a bare-metal ELF with HTIF. ``extensions`` are paths of CoreDSL files. ``isa`` defaults to
    the ELF's own ``Tag_RISCV_arch``. ``trace`` is a path for a log in Spike's commit format.
    ``roi`` names two symbols that delimit the counted region."""

@final
class Isa:
    xlen: int
    canonical: str
    """Canonical string, implied extensions not spelt out: ``rv32imc_zbb``."""
    extensions: list[str]
    """All extensions, implied ones too, lower case, canonical order."""

def parse_isa(text: str) -> Isa: ...
def instruction_extensions() -> dict[str, list[str]]:
    """Mnemonic to the extensions that provide it, simplest first; built-in instructions of both XLENs."""

def builtin_extensions() -> list[tuple[str, str, int]]:
    """Name, one-line description and number of instructions of every extension that is built."""

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
    symbols: list[Symbol]

def elf_info(elf: bytes) -> ElfInfo: ...
def section_sizes(object_file: bytes) -> tuple[int, int, int, int, int]:
    """Code, rodata, data, bss bytes and static instructions of a relocatable object."""

def disassemble(
    elf: bytes, *, isa: str | None = None, symbol: str | None = None, extensions: list[str] = ...
) -> list[tuple[int, int, int, str]]:
    """Address, word, length in bytes and text of each instruction (of one function, if named)."""

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

def description_header(path: str) -> str:
    """C intrinsics and assembler macros for the instructions a CoreDSL file declares."""

def description_sets(path: str) -> list[str]:
    """Names of the extensions a CoreDSL file declares."""

def description_table(path: str) -> list[tuple[str, str, str, str, list[int]]]:
    """Syntax, encoding, behaviour as written, instruction set and XLENs of each instruction declared."""
