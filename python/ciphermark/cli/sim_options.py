"""The options of ``ciphermark sim``, for its fast parser, help, reference and completion. Imports nothing slow: it is
run in loops."""

from collections.abc import Callable
from typing import NamedTuple

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_MOST = 2**64 - 1
"""What the engine counts up to."""


class Option(NamedTuple):
    name: str
    help: str
    metavar: str | None = None
    """The kind of its value; ``None`` for a flag."""
    convert: Callable[[str], object] = str
    """Raises ``ValueError`` that says what is wrong."""
    default: object = None
    choices: tuple[str, ...] = ()
    many: bool = False
    commas: bool = False
    completes: str = ""
    """What a shell completes; see :data:`ciphermark.cli.completion.BY_NAME`."""

    @property
    def dest(self) -> str:
        word = self.name.lstrip("-").replace("-", "_")
        return f"trace_{word}" if word in ("from", "to") else word


SUMMARY = "Run a RISC-V program in the embedded engine."

DESCRIPTION = """\
The program is a static Linux ELF, or a bare-metal one that prints and exits through HTIF or semihosting. Its \
output goes to stdout and stderr, and the engine's messages go to stderr. Write -- before the program's arguments.

Exit status: the program's own, 128 plus the number of the signal that killed it, {statuses}.

Examples:

  ciphermark sim prog.elf
  ciphermark sim ./a.out -- -v
  ciphermark sim --root ./files --writable ./a.out -- /input.txt
  ciphermark sim --profile --folded stacks.txt ./a.out
  ciphermark sim --gdb 1234 --root . ./a.out -- input.txt
  ciphermark sim --isa rv32i_zbb --stats prog.elf
  ciphermark sim --machine ibex-maxperf --profile prog.elf
  ciphermark sim --machine rocket --exports folded=stacks.txt prog.elf
  ciphermark sim --machine gem5-two-level --stats-out m5out prog.elf
  ciphermark sim --isa rva22u64_zvkned_zvl256b prog.elf
  ciphermark sim --isa rv64gcv_zvkned --vlen 1024 --agnostic-ones prog.elf
  ciphermark sim --max-instructions 1000000 --trace prog.log prog.elf
  ciphermark sim --secrets prog.elf
  ciphermark sim --signature test.sig --signature-granularity 4 test.elf
"""

PROGRAM = "The ELF to run."
ARGUMENTS = "An argument of a Linux program, or of a bare-metal one with semihosting."


def _bytes(text: str) -> int:
    digits, unit = (text[:-1], text[-1]) if text[-1:].upper() in ("K", "M", "G") else (text, "")
    if not _is_positive(digits):
        raise ValueError(f"{text!r} is not a size: write bytes with an optional K, M or G")
    return _at_most(_MOST, text, digits, _UNITS[unit.upper()])


def _count(text: str) -> int:
    if not _is_positive(text):
        raise ValueError(f"{text!r} is not a positive whole number")
    return _at_most(_MOST, text, text)


def _is_positive(digits: str) -> bool:
    return digits.isdecimal() and digits.strip("0") != ""


def _at_most(most: int, text: str, digits: str, unit: int = 1) -> int:
    """The number of units that ``digits`` are. Raises ``ValueError``, of ``text``, beyond ``most``."""
    if len(digits) > len(str(most)) or int(digits) * unit > most:
        raise ValueError(f"{text!r} is too large")
    return int(digits) * unit


def _variable(text: str) -> str:
    if text.find("=") < 1:
        raise ValueError(f"{text!r} is not NAME=VALUE")
    return text


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > len("65535") or int(text) > 65535:
        raise ValueError(f"{text!r} is not a port: write a number from 0 to 65535")
    return int(text)


def _vlen(text: str) -> int:
    from ciphermark.notation.vlen import parse_vlen

    return parse_vlen(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise ValueError(f"{text!r} is not a number of seconds between 0 and 10^9")
    return value


OPTIONS = (
    Option(
        "--isa",
        "Run the program on a core with this ISA (default: the one that the ELF names).",
        "ISA",
        completes="isa",
    ),
    Option(
        "--extensions",
        "Add the instructions that these CoreDSL files describe.",
        "FILE,…",
        many=True,
        commas=True,
        completes="descriptions",
    ),
    Option(
        "--vlen",
        "Set the length of vector registers, a power of two up to 65536 (default: the ISA's largest zvl*b, else 128).",
        "BITS",
        _vlen,
    ),
    Option(
        "--agnostic-ones",
        "Fill agnostic tail and masked-off elements with ones, so that code that relies on their old values fails.",
    ),
    Option(
        "--memory",
        "Set a bare-metal program's memory (default: 128M), or the most that all processes of a Linux program may use "
        "(default: 4G).",
        "SIZE",
        _bytes,
    ),
    Option("--no-jit", "Interpret all code: slower, with the same results."),
    Option("--max-instructions", "Stop after N instructions (default: no limit).", "N", _count),
    Option("--max-seconds", "Stop after this much real time (default: no limit).", "SECONDS", _seconds),
    Option("--stats", "Print the instruction count, the extensions used and an opcode histogram on stderr."),
    Option(
        "--begin",
        "Count the instructions from this symbol to that of --end separately, as the m5ops reset and dump do.",
        "SYMBOL",
    ),
    Option("--end", "End the region that --begin starts.", "SYMBOL"),
    Option("--profile", "Print the instructions of each function, or with --machine its cycles, on stderr."),
    Option(
        "--profile-file",
        "Write each executed instruction with its count, its source line and, with --machine, its cycles.",
        "FILE",
        completes="file",
    ),
    Option(
        "--folded",
        "Write the profile as folded stacks, by function and source line, for flamegraph.pl or speedscope.",
        "FILE",
        completes="file",
    ),
    Option(
        "--machine",
        "Model the cycles of this machine, by cause; `ciphermark list machines` shows all.",
        "MACHINE",
        completes="machines",
    ),
    Option(
        "--harts",
        "Give the machine N harts, each with its own first-level caches. "
        "Only machines with gem5's core can have several.",
        "N",
        _count,
    ),
    Option("--no-memo", "Do not memoise schedules: slower, with the same cycles."),
    Option(
        "--exports",
        "Write the profile for other tools: callgrind, chrome, folded, kanata; with --begin, that of the last region.",
        "FORMAT=FILE,…",
        many=True,
        commas=True,
        completes="file",
    ),
    Option(
        "--stats-out",
        "Write gem5's stats.txt and a config.json to this folder, for a machine whose memory is built from parts.",
        "FOLDER",
        completes="folder",
    ),
    Option(
        "--secrets",
        "Follow what the program marks as secret, and print on stderr where it decides a branch, an address or a time. "
        "The program's own stderr is printed on stdout.",
    ),
    Option("--trace", "Write a commit log in Spike's format.", "FILE", completes="file"),
    Option("--from", "Start the log of --trace at a symbol, at 0xADDRESS, or after a number of instructions.", "WHERE"),
    Option("--to", "End the log at this point, given as for --from.", "WHERE"),
    Option(
        "--gdb",
        "Wait for gdb on this port of localhost before the first instruction; 0 picks a free port.",
        "PORT",
        _port,
    ),
    Option(
        "--abi",
        "Run the program as linux or bare; auto picks bare if it has a tohost symbol or if all its segments are at "
        "0x80000000 or above.",
        "ABI",
        default="auto",
        choices=("auto", "linux", "bare"),
    ),
    Option(
        "--root",
        "Show this folder as / to a Linux program, or to a bare-metal one with semihosting (default: no files).",
        "FOLDER",
        completes="folder",
    ),
    Option("--writable", "Let the program change files below --root."),
    Option(
        "--env", "Set an environment variable of a Linux program; may be repeated.", "NAME=VALUE", _variable, many=True
    ),
    Option(
        "--max-processes",
        "Let a Linux program have at most N processes at a time (default: 64); any further fork fails with EAGAIN.",
        "N",
        _count,
    ),
    Option("--strace", "Print each system call of a Linux program on stderr."),
    Option(
        "--host-time",
        "Use this machine's clocks for system calls and semihosting calls, instead of one nanosecond per instruction; "
        "rdtime is not affected.",
    ),
    Option("--host-random", "Give a Linux program unpredictable random numbers, instead of a fixed sequence."),
    Option(
        "--signature",
        "Write the memory from begin_signature to end_signature as hexadecimal words.",
        "FILE",
        completes="file",
    ),
    Option(
        "--signature-granularity",
        "Write this many bytes per line of the signature: 4, 8 or 16.",
        "BYTES",
        int,
        default=4,
        choices=("4", "8", "16"),
    ),
)
