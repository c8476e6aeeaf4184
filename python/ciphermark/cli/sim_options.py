"""The options of ``ciphermark sim``: what its own fast parser reads, and what help, reference and completion show.

Imports nothing slow: the command is started in loops.
"""

from collections.abc import Callable
from typing import NamedTuple

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


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
    """Whether it may be given several times."""
    commas: bool = False
    """Whether commas separate several values."""
    completes: str = ""
    """What a shell completes; see :func:`ciphermark.cli.completion.named`."""

    @property
    def dest(self) -> str:
        """The name of its value."""
        word = self.name.lstrip("-").replace("-", "_")
        return f"trace_{word}" if word in ("from", "to") else word


SUMMARY = "Run a RISC-V program in the embedded engine."

DESCRIPTION = """\
The program is a static Linux ELF, or a bare-metal one that prints and exits through HTIF. What it prints goes to \
stdout and stderr, and what the engine says goes to stderr. Write -- before arguments of the program.

Exit status: the program's own, 128 and the number of a signal that killed it, {statuses}.

Examples:

  ciphermark sim prog.elf
  ciphermark sim ./a.out -- -v input.txt
  ciphermark sim --root ./files --writable ./a.out -- /input.txt
  ciphermark sim --profile ./a.out
  ciphermark sim --gdb 1234 ./a.out -- input.txt
  ciphermark sim --isa rv32i_zbb --stats prog.elf
  ciphermark sim --isa rv64gcv_zvkned_zvl256b prog.elf
  ciphermark sim --isa rv64gcv_zvkned --vlen 1024 --agnostic-ones prog.elf
  ciphermark sim --max-instructions 1000000 --trace prog.log prog.elf
  ciphermark sim --signature test.sig --signature-granularity 4 test.elf
"""

PROGRAM = "The ELF to run."
ARGUMENTS = "What a Linux program gets as its arguments."


def _bytes(text: str) -> int:
    digits, unit = (text[:-1], text[-1]) if text[-1:].upper() in ("K", "M", "G") else (text, "")
    if not digits.isdigit() or int(digits) == 0:
        raise ValueError(f"{text!r} is not a size: write bytes with an optional K, M or G")
    return int(digits) * _UNITS[unit.upper()]


def _count(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise ValueError(f"{text!r} is not a positive whole number")
    return int(text)


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise ValueError(f"{text!r} is not a port: write a number from 0 to 65535")
    return int(text)


def _vlen(text: str) -> int:
    from ciphermark.vlen import parse_vlen

    return parse_vlen(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise ValueError(f"{text!r} is not a positive number of seconds")
    return value


OPTIONS = (
    Option(
        "--isa",
        "Run the program on a core with these extensions (default: those that the ELF names).",
        "ISA",
        completes="isa",
    ),
    Option(
        "--extensions",
        "Add the instructions of CoreDSL descriptions.",
        "FILE,…",
        many=True,
        commas=True,
        completes="descriptions",
    ),
    Option(
        "--vlen",
        "Give vector registers so many bits, a power of two up to 65536 (default: the largest zvl*b of the ISA, "
        "else 128).",
        "BITS",
        _vlen,
    ),
    Option(
        "--agnostic-ones",
        "Fill tail and masked-off elements with ones where the policy is agnostic, so that a program that relies on "
        "their old values fails.",
    ),
    Option("--memory", "Give the guest so much memory; a Linux process at most so much.", "SIZE", _bytes),
    Option("--no-jit", "Interpret hot code too: slower, with the same results."),
    Option("--max-instructions", "Stop after so many instructions.", "N", _count),
    Option("--max-seconds", "Stop after so many seconds of this machine's time.", "SECONDS", _seconds),
    Option("--stats", "Print instructions, extensions used and a histogram of opcodes on stderr."),
    Option(
        "--begin",
        "Count the region from here to --end separately; m5ops reset and dump do the same.",
        "SYMBOL",
    ),
    Option("--end", "End the region that --begin begins.", "SYMBOL"),
    Option("--profile", "Print the instructions executed in each function on stderr."),
    Option(
        "--profile-file",
        "Write each instruction executed with its count and its line of source.",
        "FILE",
        completes="file",
    ),
    Option("--trace", "Write a commit log in Spike's format.", "FILE", completes="file"),
    Option("--from", "Begin the log at a symbol, at 0xADDRESS, or after so many instructions.", "WHERE"),
    Option("--to", "End the log there.", "WHERE"),
    Option(
        "--gdb",
        "Wait for gdb at this port of this machine before the first instruction; 0 takes any that is free.",
        "PORT",
        _port,
    ),
    Option(
        "--abi",
        "Say what the program is made for: auto takes bare if it has a tohost symbol or lies from 0x80000000 on.",
        "ABI",
        default="auto",
        choices=("auto", "linux", "bare"),
    ),
    Option(
        "--root",
        "Show a Linux program this folder as /; without one it has no files.",
        "FOLDER",
        completes="folder",
    ),
    Option("--writable", "Let it change files below --root."),
    Option("--env", "Set one of its environment variables; repeat for more.", "NAME=VALUE", many=True),
    Option("--strace", "Print each of its system calls on stderr."),
    Option("--host-time", "Give it this machine's clocks instead of one nanosecond per instruction."),
    Option("--host-random", "Give it unpredictable random numbers instead of a fixed sequence."),
    Option(
        "--signature",
        "Write the memory from begin_signature to end_signature as hexadecimal words.",
        "FILE",
        completes="file",
    ),
    Option(
        "--signature-granularity",
        "Write so many bytes per line of the signature: 4, 8 or 16.",
        "BYTES",
        int,
        default=4,
        choices=("4", "8", "16"),
    ),
)
