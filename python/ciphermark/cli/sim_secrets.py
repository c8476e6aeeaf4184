"""``ciphermark sim --secrets``: where what a program marks as secret reaches."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ciphermark.analysis import data_independent
from ciphermark.cli import messages
from ciphermark.errors import UsageError
from ciphermark.exit_codes import ExitCode
from ciphermark.kernels import descriptions

if TYPE_CHECKING:
    import argparse

    from ciphermark._engine import Place, SecretFinding
    from ciphermark.rtl.machines import Machine

_APART = (
    "begin", "end", "env", "exports", "folded", "gdb", "harts", "host_random", "host_time", "max_processes", "profile",
    "profile_file", "signature", "stats", "stats_out", "strace", "trace",
)  # fmt: skip
"""Options that a run whose secrets are followed does not have."""

_STEPS = 6


def run(engine: Any, elf: bytes, options: argparse.Namespace, machine: Machine | None) -> int:
    """Run the program and print what was found on stderr; returns the exit status: the program's own if nothing was."""
    for name in _APART:
        value = getattr(options, name)
        # `--gdb 0` asks for a port, too.
        if value is not None and value is not False and value != []:
            raise UsageError(
                f"--{name.replace('_', '-')} does not go with --secrets",
                "Leave it out, or run the program again without --secrets.",
            )
    try:
        result = engine.check_secrets(
            elf, isa=options.isa, vlen=options.vlen, agnostic_ones=options.agnostic_ones,
            extensions=list(options.extensions), memory_bytes=options.memory,
            machine=machine.modelled() if machine is not None else None,
            linux={"linux": True, "bare": False, "auto": None}[options.abi], root=options.root,
            writable=options.writable,
            arguments=[os.fsencode(options.program), *(os.fsencode(argument) for argument in options.arguments)],
            unlisted=data_independent.unlisted(descriptions.built_in_sets()),
            max_instructions=options.max_instructions, max_seconds=options.max_seconds,
            message=messages.note,
        )  # fmt: skip
    except engine.EngineError as raised:
        messages.error(messages.of_engine(raised, options.program))
        return ExitCode.USAGE
    sys.stdout.buffer.write(result.console)
    sys.stdout.buffer.flush()
    for finding in result.findings:
        _print(finding)
    leaks = [each for each in result.findings if each.kind != "unlisted"]
    others = len(result.findings) - len(leaks)
    messages.note(f"{len(leaks)} found, {others} unlisted, in {result.instructions:,} instructions")
    if result.fault is not None:
        messages.error(result.fault.message)
        return ExitCode.FAULT
    if result.stop in ("time-limit", "instruction-limit"):
        return ExitCode.LIMIT
    status = result.exit_code if result.exit_code is not None else ExitCode.FAULT
    return status or (ExitCode.FAILED if leaks else ExitCode.OK)


def _print(finding: SecretFinding) -> None:
    times = f"{finding.times:,} times" if finding.times > 1 else "once"
    messages.note(f"{finding.kind}: {_place(finding.place)}, {times}")
    for step in finding.way[:_STEPS]:
        messages.note(f"    from {_place(step)}")
    if finding.source:
        messages.note(f"    from byte {finding.byte} of what was marked")


def _place(place: Place) -> str:
    where = f"{place.function}+{place.offset:#x}" if place.function else "?"
    line = f", {place.line[0]}:{place.line[1]}" if place.line is not None else ""
    return f"{place.address:#x} {place.disassembly} in {where}{line}"
