"""``ciphermark sim``: one program in the embedded engine.

Started in loops, so nothing heavier than argparse is imported.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ciphermark.cli import messages
from ciphermark.errors import nearest

if TYPE_CHECKING:
    from ciphermark._engine import Fault, Hot, SimResult

LIMIT = 124
FAULT = 125
USAGE = 2
ENGINE_MISSING = 5

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_TOP = 20
"""Opcodes that --stats lists."""
_MISALIGNED = "instruction address misaligned"

_STATUS = """\
exit status: the guest's own, 128 and the signal's number after a signal; 125 after a fault of the guest or a deadlock,
124 at a limit, 2 usage, 130 interrupted

examples:
  ciphermark sim prog.elf
  ciphermark sim ./a.out -- -v input.txt
  ciphermark sim --root ./files --writable ./a.out -- /input.txt
  ciphermark sim --profile ./a.out
  ciphermark sim --gdb 1234 ./a.out -- input.txt
  ciphermark sim prog.elf --isa rv32i_zbb --stats
  ciphermark sim --isa rv64gcv_zvkned_zvl256b prog.elf
  ciphermark sim --isa rv64gcv_zvkned --vlen 1024 --agnostic-ones prog.elf
  ciphermark sim prog.elf --max-instructions 1000000 --trace prog.log
  ciphermark sim test.elf --signature test.sig --signature-granularity 4
"""


def main(arguments: Sequence[str]) -> int:
    """Run it; returns the exit status."""
    try:
        with messages.flushed():
            return _run(_parsed(arguments))
    except KeyboardInterrupt:
        messages.note("\ninterrupted")
        return messages.INTERRUPTED


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _parser()
    # What stands behind the first `--` is the program's, another `--` included.
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:split])
    options.arguments.extend(arguments[split + 1 :])
    if (options.begin is None) != (options.end is None):
        parser.error("--begin and --end belong together")
    return options


def _run(options: argparse.Namespace) -> int:
    try:
        engine = importlib.import_module("ciphermark._engine")
    except ImportError as raised:
        messages.error(f"the embedded engine is not built ({raised})", "run `make setup`, or install the wheel")
        return ENGINE_MISSING
    try:
        with open(options.program, "rb") as file:
            elf = file.read()
    except OSError as raised:
        messages.error(f"{options.program}: {raised.strerror}")
        return USAGE
    try:
        result = engine.simulate(elf, **_arguments(options))
        sys.stdout.flush()
    except engine.EngineError as raised:
        messages.error(messages.of_engine(raised, options.program))
        return USAGE
    sys.stdout.buffer.flush()
    if _never_traced(options):
        messages.note(f"{options.trace} is empty: {options.trace_from} was never reached")
    _explain_unopened(result, options)
    if options.signature is not None and not _write_signature(options.signature, result):
        return 1
    if options.stats or result.rois:
        _print_stats(result)
    if result.profile is not None and not _report_profile(result.profile, options):
        return 1
    if result.fault is not None and result.fault.cause == _MISALIGNED and engine.elf_info(elf).compressed:
        # Only an ISA without C has such a fault: a jump went where compressed code lies, before any was fetched.
        return _fault(result.fault, "the program has compressed instructions: add C with --isa")
    return _status(result, options)


def _never_traced(options: argparse.Namespace) -> bool:
    """Whether the log was to begin somewhere, and did not."""
    if options.trace is None or options.trace_from is None:
        return False
    from pathlib import Path

    trace = Path(options.trace)
    return trace.is_file() and trace.stat().st_size == 0


def _explain_unopened(result: SimResult, options: argparse.Namespace) -> None:
    """Say why files that are there do not open, if that is what the run failed for."""
    named = [path for path in result.unopened if path in options.arguments]
    if not named and result.exit_code != 0:
        named = [path for path in result.unopened if not path.startswith(_SYSTEM)]
    if named:
        messages.note(
            f"note: {', '.join(named[:3])} could not be opened: without --root the program has no files; --root . "
            "shows it this folder as /"
        )


_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/")
"""Where run-time libraries look for what they can do without."""


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """What the engine is asked; its own defaults hold for what the user left out."""
    given = {
        "isa": options.isa,
        "vlen": options.vlen,
        "agnostic_ones": options.agnostic_ones or None,
        "extensions": options.extension,
        "memory_bytes": options.memory,
        "max_instructions": options.max_instructions,
        "max_seconds": options.max_seconds,
        "roi": (options.begin, options.end) if options.begin is not None else None,
        "trace": options.trace,
        "trace_from": options.trace_from,
        "trace_to": options.trace_to,
        "gdb": options.gdb,
        "linux": {"linux": True, "bare": False, "auto": None}[options.abi],
        "root": options.root,
        "environment": [os.fsencode(variable) for variable in options.env] or None,
        "terminal": _terminal(),
        "signature_granularity": options.signature_granularity if options.signature is not None else None,
    }
    arguments = {name: value for name, value in given.items() if value is not None}
    return {
        **arguments,
        "histogram": options.stats,
        "profile": options.profile or options.profile_file is not None,
        "arguments": [os.fsencode(options.program), *(os.fsencode(argument) for argument in options.arguments)],
        "writable": options.writable,
        "host_time": options.host_time,
        "seed": None if options.host_random else 1,
        "strace": options.strace,
        "jit": not options.no_jit,
        "stdin": True,
        "console": _console,
        "error_console": _error_console,
        "message": messages.note,
    }


def _console(text: bytes) -> None:
    """The guest's console, as it comes."""
    _write(sys.stdout.fileno(), text)


def _error_console(text: bytes) -> None:
    """What a process writes to its standard error."""
    _write(sys.stderr.fileno(), text)


def _write(descriptor: int, text: bytes) -> None:
    while text:
        text = text[os.write(descriptor, text) :]


def _terminal() -> tuple[int, int] | None:
    """Columns and rows of the terminal on standard output, if it is one."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return None
    return size.columns, size.lines


def _status(result: SimResult, options: argparse.Namespace) -> int:
    if result.stop == "exit":
        return result.exit_code if result.exit_code is not None else 0
    if result.fault is not None:
        return _fault(result.fault)
    if result.stop == "signal":
        messages.error(f"the program was killed by {result.signal}")
        return result.exit_code if result.exit_code is not None else FAULT
    if result.stop == "deadlock":
        messages.error("deadlock: every thread waits for another")
        for thread in result.deadlock:
            messages.note(f"  {thread}")
        return FAULT
    if result.stop == "interrupted":
        messages.note("\ninterrupted")
        return messages.INTERRUPTED
    if result.stop == "instruction-limit":
        messages.error(f"stopped after {result.instructions:,} instructions", "raise --max-instructions")
    else:
        messages.error(f"stopped after {options.max_seconds} s", "raise --max-seconds")
    return LIMIT


def _fault(fault: Fault, hint: str = "") -> int:
    messages.error(fault.message, hint)
    for number, call in enumerate(fault.backtrace):
        messages.note(f"  #{number} {call}")
    return FAULT


def _report_profile(entries: list[Hot], options: argparse.Namespace) -> bool:
    from ciphermark.cli import profile

    if options.profile:
        messages.note("\n".join(profile.by_function(entries)))
    if options.profile_file is None:
        return True
    try:
        with open(options.profile_file, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in profile.by_instruction(entries))
    except OSError as raised:
        messages.error(f"{options.profile_file}: {raised.strerror}")
        return False
    return True


def _write_signature(path: str, result: SimResult) -> bool:
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(result.signature or "")
    except OSError as raised:
        messages.error(f"{path}: {raised.strerror}")
        return False
    return True


def _print_stats(result: SimResult) -> None:
    """On stderr: stdout is the guest's."""
    lines = [f"instructions {result.instructions:,}"]
    for number, region in enumerate(result.rois[:_TOP], 1):
        lines.append(f"region {number}: instructions {region.instructions:,}")
    if len(result.rois) > _TOP:
        more = result.rois[_TOP:]
        lines.append(f"{len(more)} more regions: instructions {sum(region.instructions for region in more):,}")
    if result.engine_seconds > 0:
        rate = result.instructions / result.engine_seconds / 1e6
        lines.append(
            f"engine {result.engine_seconds:.3f} s of this host, {rate:,.1f} million instructions/s "
            "(the engine's speed, not the guest's)"
        )
    if result.extensions_used:
        used = sorted(result.extensions_used.items(), key=lambda item: -item[1])
        lines.append("extensions used: " + ", ".join(f"{name} {count:,}" for name, count in used))
    if result.opcodes:
        ordered = sorted(result.opcodes.items(), key=lambda item: (-item[1], item[0]))
        for name, count in ordered[:_TOP]:
            lines.append(f"{count:>16,}  {100 * count / max(result.instructions, 1):5.1f} %  {name}")
        if len(ordered) > _TOP:
            lines.append(f"{sum(count for _, count in ordered[_TOP:]):>16,}  in {len(ordered) - _TOP} more opcodes")
    messages.note("\n".join(lines))


def _bytes(text: str) -> int:
    digits, unit = (text[:-1], text[-1]) if text[-1:].upper() in ("K", "M", "G") else (text, "")
    if not digits.isdigit() or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: write bytes with an optional K, M or G")
    return int(digits) * _UNITS[unit.upper()]


def _count(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: write a number from 0 to 65535")
    return int(text)


def _vlen(text: str) -> int:
    from ciphermark.vlen import parse_vlen

    try:
        return parse_vlen(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line and a hint instead of the whole usage."""
        word = message.rpartition(": ")[2].split(" ")[0].partition("=")[0]
        if message.startswith("the following arguments are required"):
            messages.error("no program is named", "give one, for instance `ciphermark sim ./prog -- input.txt`")
            raise SystemExit(USAGE)
        unknown = message.startswith("unrecognized") and word.startswith("-")
        hint = nearest(word, self._option_string_actions) if unknown else "`ciphermark sim --help` shows all options"
        messages.error(message, hint)
        raise SystemExit(USAGE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ciphermark sim",
        description="Run a static RISC-V Linux program, or a bare-metal ELF (HTIF console and exit), in the "
        "embedded engine.",
        epilog=_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("program", metavar="PROGRAM.elf")
    add("arguments", metavar="ARGUMENT", nargs="*", help="of a Linux program; write -- before them")
    add("--isa", metavar="ISA", help="for instance rv32i_zbb (default: the ELF's own)")
    add(
        "--extension",
        metavar="FILE",
        action="append",
        help="CoreDSL description of more instructions; repeatable",
    )
    add(
        "--vlen",
        metavar="BITS",
        type=_vlen,
        help="bits of a vector register, a power of two up to 65536 (default: the largest zvl*b of the ISA, else 128)",
    )
    add(
        "--agnostic-ones",
        action="store_true",
        help="fill tail and masked-off elements with ones where the policy is agnostic: a program that relies on them "
        "then fails here",
    )
    add("--memory", metavar="SIZE", type=_bytes, help="guest memory, or the most a process may have, e.g. 64M")
    add("--no-jit", action="store_true", help="interpret hot code too: slower, with the same results")
    add("--max-instructions", metavar="N", type=_count, help="stop after N instructions")
    add("--max-seconds", metavar="S", type=_seconds, help="stop after S seconds of this host's time")
    add("--stats", action="store_true", help="instructions, extensions used and opcode histogram, on stderr")
    add("--begin", metavar="SYMBOL", help="count from here to --end apart; m5ops reset and dump do the same")
    add("--end", metavar="SYMBOL", help="end of the region that --begin begins")
    add("--profile", action="store_true", help="instructions by function, on stderr")
    add("--profile-file", metavar="FILE", help="each instruction executed, with its count and source line")
    add("--trace", metavar="FILE", help="commit log in Spike's format")
    add("--from", dest="trace_from", metavar="WHERE", help="begin of the log: a symbol, 0xADDRESS, or instructions")
    add("--to", dest="trace_to", metavar="WHERE", help="its end, likewise")
    add(
        "--gdb",
        metavar="PORT",
        type=_port,
        help="wait for gdb at this port of this machine before the first instruction; 0 takes any that is free",
    )
    _add_process_options(parser)
    add("--signature", metavar="FILE", help="write begin_signature..end_signature as hexadecimal words")
    add(
        "--signature-granularity",
        metavar="BYTES",
        type=int,
        choices=(4, 8, 16),
        default=4,
        help="bytes a line: 4, 8 or 16",
    )
    return parser


def _add_process_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("Linux programs").add_argument
    add(
        "--abi",
        choices=("auto", "linux", "bare"),
        default="auto",
        help="what the program is made for (default: bare if it has a tohost symbol or lies from 0x80000000 on)",
    )
    add("--root", metavar="DIR", help="directory that the program sees as /; without one it has no files")
    add("--writable", action="store_true", help="let it change files below --root")
    add("--env", metavar="NAME=VALUE", action="append", default=[], help="environment variable; repeatable")
    add("--strace", action="store_true", help="each system call, on stderr")
    add("--host-time", action="store_true", help="this machine's clocks instead of one nanosecond an instruction")
    add("--host-random", action="store_true", help="unpredictable random numbers instead of a fixed sequence")
