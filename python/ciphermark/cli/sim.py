"""``ciphermark sim``: one ELF in the embedded engine.

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
    from ciphermark._engine import SimResult

LIMIT = 124
FAULT = 125
USAGE = 2
ENGINE_MISSING = 5

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_TOP = 20
"""Opcodes that --stats lists."""

_STATUS = """\
exit status: the guest's own; 125 after a fault of the guest, 124 at a limit, 2 usage, 130 interrupted

examples:
  ciphermark sim prog.elf
  ciphermark sim prog.elf --isa rv32i_zbb --stats
  ciphermark sim prog.elf --max-instructions 1000000 --trace prog.log
  ciphermark sim test.elf --signature test.sig --signature-granularity 4
"""


def main(arguments: Sequence[str]) -> int:
    """Run it; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except KeyboardInterrupt:
        messages.note("\ninterrupted")
        return messages.INTERRUPTED


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
    except engine.EngineError as raised:
        messages.error(f"{options.program}: {raised}")
        return USAGE
    sys.stdout.buffer.flush()
    if options.signature is not None and not _write_signature(options.signature, result):
        return 1
    if options.stats:
        _print_stats(result)
    return _status(result, options)


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """What the engine is asked; its own defaults hold for what the user left out."""
    given = {
        "isa": options.isa,
        "extensions": options.extension,
        "memory_bytes": options.memory,
        "max_instructions": options.max_instructions,
        "max_seconds": options.max_seconds,
        "trace": options.trace,
        "signature_granularity": options.signature_granularity if options.signature is not None else None,
    }
    arguments = {name: value for name, value in given.items() if value is not None}
    return {**arguments, "histogram": options.stats, "console": _console}


def _console(text: bytes) -> None:
    """The guest's console, as it comes."""
    os.write(sys.stdout.fileno(), text)


def _status(result: SimResult, options: argparse.Namespace) -> int:
    if result.stop == "exit":
        return result.exit_code if result.exit_code is not None else 0
    if result.stop == "fault":
        messages.error(result.fault.message if result.fault is not None else "the guest faulted")
        return FAULT
    if result.stop == "interrupted":
        messages.note("\ninterrupted")
        return messages.INTERRUPTED
    if result.stop == "instruction-limit":
        messages.error(f"stopped after {result.instructions:,} instructions", "raise --max-instructions")
    else:
        messages.error(f"stopped after {options.max_seconds} s", "raise --max-seconds")
    return LIMIT


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
        unknown = message.startswith("unrecognized") and word.startswith("-")
        hint = nearest(word, self._option_string_actions) if unknown else "`ciphermark sim --help` shows all options"
        messages.error(message, hint)
        raise SystemExit(USAGE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ciphermark sim",
        description="Run a bare-metal RISC-V ELF (HTIF console and exit) in the embedded engine.",
        epilog=_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("program", metavar="PROGRAM.elf")
    add("--isa", metavar="ISA", help="for instance rv32i_zbb (default: the ELF's own)")
    add(
        "--extension",
        metavar="FILE",
        action="append",
        help="CoreDSL description of more instructions; repeatable",
    )
    add("--memory", metavar="SIZE", type=_bytes, help="guest memory, e.g. 64M")
    add("--max-instructions", metavar="N", type=_count, help="stop after N instructions")
    add("--max-seconds", metavar="S", type=_seconds, help="stop after S seconds of this host's time")
    add("--stats", action="store_true", help="instructions, extensions used and opcode histogram, on stderr")
    add("--trace", metavar="FILE", help="commit log in Spike's format")
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
