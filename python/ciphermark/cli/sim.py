"""``ciphermark sim``: one program in the embedded engine. Started in loops, so nothing heavier than argparse is
imported."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.cli import messages, sim_parser
from ciphermark.errors import CiphermarkError, OutputError, UsageError
from ciphermark.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ciphermark._engine import Fault, Hot, ProcessResult, SimResult
    from ciphermark.rtl.machines import Machine

_TOP = 20
_MISALIGNED = "instruction address misaligned"


def main(arguments: Sequence[str]) -> int:
    """Run it; returns the exit status."""
    try:
        with messages.flushed():
            return _run(sim_parser.parse(arguments))
    except KeyboardInterrupt:
        messages.note("\ninterrupted")
        return ExitCode.INTERRUPTED
    except CiphermarkError as raised:
        messages.error(raised.message, raised.hint)
        return raised.exit_code


def _run(options: argparse.Namespace) -> int:
    try:
        engine = importlib.import_module("ciphermark._engine")
    except ImportError as raised:
        messages.error(f"the embedded engine is not built ({raised})", "Run `make setup`, or install the wheel.")
        return ExitCode.ENGINE_MISSING
    try:
        with open(options.program, "rb") as file:
            elf = file.read()
    except OSError as raised:
        messages.error(f"{options.program}: {raised.strerror}")
        return ExitCode.USAGE
    if options.root is not None and not os.path.isdir(options.root):  # noqa: PTH112 - pathlib is slow to import
        raise UsageError(f"--root: {options.root} is not a folder")
    options.extensions = [_described(name) for name in options.extensions]
    if options.secrets:
        from ciphermark.cli import sim_secrets

        return sim_secrets.run(engine, elf, options, _machine(options))
    return _simulate(engine, elf, options)


def _described(name: str) -> str:
    """The file of the description ``name``. What ends like a file is left to the engine, which has built-in ones."""
    if name.endswith(".core_desc"):
        return name
    from pathlib import Path

    from ciphermark.kernels import descriptions

    return str(descriptions.find(name, Path.cwd(), ratified=True))


def _simulate(engine: Any, elf: bytes, options: argparse.Namespace) -> int:
    wanted = {}
    if options.exports:
        from ciphermark.cli import sim_exports

        wanted = sim_exports.files(options.exports)
    found = _machine(options)
    arguments = _arguments(options, found)
    if wanted:
        arguments["steps"] = sim_exports.MOST
    try:
        result = _result(engine, elf, arguments)
        sys.stdout.flush()
    except engine.EngineError as raised:
        messages.error(messages.of_engine(raised, options.program))
        return ExitCode.USAGE
    sys.stdout.buffer.flush()
    if _never_traced(options):
        messages.note(_never_begun(options))
    _explain_unopened(result, options)
    if options.signature is not None:
        _save(options.signature, result.signature or "")
    if options.stats or result.rois or result.cycles is not None:
        _print_stats(result)
    if result.profile is not None:
        _report_profile(result.profile, options)
    if options.stats_out is not None and found is not None:
        from ciphermark.cli import sim_stats

        sim_stats.write(options.stats_out, found, [options.program, *options.arguments], result.dumps)
    if wanted and result.steps is not None:
        sim_exports.write(result.steps, wanted, options.program, options.machine)
    if result.fault is not None and result.fault.cause == _MISALIGNED and engine.elf_info(elf).compressed:
        # Only an ISA without C has such a fault: a jump to compressed code, before any of it was fetched.
        return _fault(result.fault, "The program has compressed instructions: add C with --isa.")
    if result.fault is not None:
        from ciphermark.cli import sim_descriptions

        return _fault(result.fault, sim_descriptions.hint(engine, result.fault, elf))
    return _status(result, options)


def _result(engine: Any, elf: bytes, arguments: dict[str, Any]) -> SimResult:
    """Run it. Raises :class:`OutputError` if the log of --trace cannot be written."""
    try:
        result: SimResult = engine.simulate(elf, **arguments)
    except OSError as raised:
        # An error of the program's own output names no file.
        if raised.filename is None:
            raise
        raise _unwritable(raised.filename, raised) from None
    return result


def _never_traced(options: argparse.Namespace) -> bool:
    """Whether a log that was to begin at some point is empty."""
    if options.trace is None or options.trace_from is None:
        return False
    from pathlib import Path

    trace = Path(options.trace)
    return trace.is_file() and trace.stat().st_size == 0


def _never_begun(options: argparse.Namespace) -> str:
    first, last = (
        f"instruction {where}" if where is not None and where.isdecimal() else where
        for where in (options.trace_from, options.trace_to)
    )
    when = f"was not reached before {last}" if last is not None else "was never reached"
    return f"{options.trace} is empty: {first} {when}"


def _explain_unopened(result: SimResult, options: argparse.Namespace) -> None:
    """Say why existing files cannot be opened, if the run failed because of that."""
    named = [path for path in result.unopened if path in options.arguments]
    if not named and result.exit_code != 0:
        named = [path for path in result.unopened if not path.startswith(_SYSTEM)]
    if named:
        messages.note(
            f"note: {', '.join(named[:3])} could not be opened, because without --root the program has no files; "
            "--root . shows it this folder as /"
        )


_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/")
"""Where run-time libraries look for what they can do without."""


def _machine(options: argparse.Namespace) -> Machine | None:
    """The machine that the options name. Raises :class:`UsageError` if it cannot do what they ask for."""
    if options.machine is None:
        for name in ("stats_out", "harts"):
            if getattr(options, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise UsageError(f"{option} needs a machine", "Use --machine gem5-two-level, for instance.")
        return None
    from ciphermark.rtl.machines import is_own, machine

    found = machine(options.machine)
    if options.harts is not None:
        found = found.with_harts(options.harts)
    if why := found.unmodelled():
        hint = "`ciphermark machine check` checks a machine's file." if is_own(options.machine) else ""
        raise UsageError(f"{options.machine}: {why}", hint)
    if options.stats_out is not None and found.memory is None:
        raise UsageError(
            f"--stats-out: the memory of {options.machine} is not built from parts", "Use one of gem5's machines."
        )
    return found


def _arguments(options: argparse.Namespace, found: Machine | None) -> dict[str, Any]:
    """Arguments for the engine, which has its own defaults for what the user left out."""
    given = {
        "isa": options.isa,
        "vlen": options.vlen,
        "agnostic_ones": options.agnostic_ones or None,
        "extensions": options.extensions or None,
        "memory_bytes": options.memory,
        "max_instructions": options.max_instructions,
        "max_seconds": options.max_seconds,
        "max_processes": options.max_processes,
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
    if found is not None:
        given["machine"] = found.modelled()
    arguments = {name: value for name, value in given.items() if value is not None}
    return {
        **arguments,
        "histogram": options.stats,
        "profile": options.profile or options.profile_file is not None or options.folded is not None,
        "arguments": [os.fsencode(options.program), *(os.fsencode(argument) for argument in options.arguments)],
        "writable": options.writable,
        "host_time": options.host_time,
        "seed": None if options.host_random else 1,
        "strace": options.strace,
        "jit": not options.no_jit,
        "memo": not options.no_memo,
        "stdin": True,
        "console": functools.partial(_write, sys.stdout.fileno()),
        "error_console": functools.partial(_write, sys.stderr.fileno()),
        "message": messages.note,
    }


def _write(descriptor: int, text: bytes) -> None:
    while text:
        text = text[os.write(descriptor, text) :]


def _terminal() -> tuple[int, int] | None:
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return None
    return size.columns, size.lines


def _status(result: SimResult, options: argparse.Namespace) -> int:
    if result.stop == "exit":
        if result.exit_code and result.last_trap is not None:
            _tell_of_trap(result.last_trap)
        return result.exit_code if result.exit_code is not None else ExitCode.OK
    if result.stop == "signal":
        messages.error(f"the program was killed by {result.signal}")
        return result.exit_code if result.exit_code is not None else ExitCode.FAULT
    if result.stop == "deadlock":
        messages.error("deadlock: every thread waits for another")
        for thread in result.deadlock:
            messages.note(f"  {thread}")
        return ExitCode.FAULT
    if result.stop == "interrupted":
        messages.note("\ninterrupted")
        return ExitCode.INTERRUPTED
    if result.stop == "instruction-limit":
        messages.error(f"stopped after {result.instructions:,} instructions", "Raise --max-instructions.")
    else:
        messages.error(f"stopped after {options.max_seconds} s", "Raise --max-seconds.")
    return ExitCode.LIMIT


def _fault(fault: Fault, hint: str = "") -> int:
    messages.error(fault.message, hint)
    for number, call in enumerate(fault.backtrace):
        messages.note(f"  #{number} {call}")
    return ExitCode.FAULT


def _tell_of_trap(trap: Fault) -> None:
    """A guest whose handler ends it says little of why."""
    messages.note(f"note: before it failed, the program took a trap: {trap.message}")
    messages.note(f"  #0 {trap.backtrace[0]}")


def _report_profile(entries: list[Hot], options: argparse.Namespace) -> None:
    from ciphermark.cli import profile

    if options.profile:
        messages.note("\n".join(profile.by_function(entries)))
    if options.folded is not None:
        from ciphermark.exports import folded

        _save(options.folded, folded.lines(folded.of_profile(entries)))
    if options.profile_file is not None:
        _save(options.profile_file, "".join(f"{line}\n" for line in profile.by_instruction(entries)))


def _save(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as raised:
        raise _unwritable(path, raised) from None


def _unwritable(path: str, raised: OSError) -> OutputError:
    """The error in the words of this system, whoever raised it."""
    return OutputError(f"{path}: {os.strerror(raised.errno) if raised.errno else raised.strerror}")


def _process(process: ProcessResult) -> str:
    """A line for one of several processes."""
    if process.signal is not None:
        end = f"killed by {process.signal}"
    elif process.exit_code is not None:
        end = f"exit status {process.exit_code}"
    else:
        end = "ran until the end"
    return f"process {process.pid} of {process.parent}: instructions {process.instructions:,}, {end}, {process.program}"


def _print_stats(result: SimResult) -> None:
    """On stderr: stdout is the guest's."""
    lines = [f"instructions {result.instructions:,}", *map(_process, result.processes[:_TOP])]
    if len(result.processes) > _TOP:
        rest = result.processes[_TOP:]
        lines.append(f"{len(rest)} more processes: instructions {sum(process.instructions for process in rest):,}")
    if result.cycles is not None:
        lines.append(
            f"cycles {result.cycles:,} (modelled), {result.cycles / max(result.instructions, 1):.3f} per instruction"
        )
        spent = sorted((result.spent or {}).items(), key=lambda item: -item[1])
        busy = max(sum(cycles for _, cycles in spent), 1)
        lines.extend(f"{cycles:>16,}  {100 * cycles / busy:5.1f} %  {cause}" for cause, cycles in spent)
        if len(result.harts) > 1:
            lines.extend(
                f"hart {number}: instructions {instructions:,}, cycles {cycles:,}, idle {result.cycles - cycles:,}"
                for number, (instructions, cycles) in enumerate(result.harts)
            )
    for part, counts in result.memory.items():
        lines.append(f"{part}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items() if count))
    for number, region in enumerate(result.rois[:_TOP], 1):
        cycles = f", cycles {region.cycles:,}" if region.cycles is not None else ""
        lines.append(f"region {number}: instructions {region.instructions:,}{cycles}")
    if len(result.rois) > _TOP:
        more = result.rois[_TOP:]
        lines.append(f"{len(more)} more regions: instructions {sum(region.instructions for region in more):,}")
    if result.engine_seconds > 0:
        rate = result.instructions / result.engine_seconds / 1e6
        lines.append(
            f"engine {result.engine_seconds:.3f} s of this host, {rate:,.1f} M instructions/s (not the guest's speed)"
        )
    if result.traps:
        lines.append("traps: " + ", ".join(f"{cause} {count:,}" for cause, count in sorted(result.traps.items())))
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
