"""``ciphermark measure``."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ciphermark import engines
from ciphermark.cli import completion, measure_profile, messages, output
from ciphermark.cli.options import (
    CsvFlag,
    JobsOption,
    JsonFlag,
    QuietFlag,
    engine_option,
    of_list,
    split,
    split_files,
    without_dash,
)
from ciphermark.cli.progress import shown
from ciphermark.errors import UsageError
from ciphermark.execution import measurement
from ciphermark.execution.measurement import DEFAULT_SIZES
from ciphermark.execution.results import Rows
from ciphermark.exit_codes import ExitCode
from ciphermark.harness import sampling
from ciphermark.rows.model import STATES, Row, State
from ciphermark.rtl.machines import MOST_LATENCY
from ciphermark.store import cache_space

STATUSES = {
    ExitCode.OK: "",
    ExitCode.FAILED: "a row could not be measured, a build or a run failed, or a file could not be written",
    ExitCode.USAGE: "the command is wrong, or no implementation that it names can be read or do what was asked",
    ExitCode.MISMATCH: "a known answer failed, or two engines' counts differ",
    ExitCode.ENGINE_MISSING: "",
}


def measure(
    algorithm: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="The algorithm to measure; `ciphermark list algorithms` shows all.",
            autocompletion=completion.algorithms,
        ),
    ],
    impls: Annotated[
        list[str] | None,
        of_list(
            "IMPL",
            "Measure these implementations, by name or folder (default: all that offer the algorithm).",
            completion.implementations,
        ),
    ] = None,
    operations: Annotated[
        list[str] | None,
        of_list(
            "OPERATION",
            "Measure these operations (default: encrypt; for a hash function, hash).",
            completion.operations,
        ),
    ] = None,
    sizes: Annotated[
        list[str] | None,
        of_list(
            "SIZE",
            "Measure messages of these sizes, in bytes: 4K is 4096, and 16..64 is 16,32,64 (default: "
            f"{DEFAULT_SIZES}).",
        ),
    ] = None,
    isas: Annotated[
        list[str] | None,
        of_list(
            "ISA",
            "Build for these ISAs, and run on cores that have them (default: those that each manifest names).",
            completion.isas,
        ),
    ] = None,
    vlens: Annotated[
        list[str] | None,
        of_list(
            "BITS",
            "Run vector code on cores with vector registers of these lengths; 128..512 is 128,256,512 "
            "(default: the ISA's zvl*b, else 128). Simulators only.",
        ),
    ] = None,
    compilers: Annotated[
        list[str] | None,
        of_list(
            "COMPILER",
            "Build with these compilers (default: zig). Simulators only: native code is always built with zig.",
            completion.compilers,
        ),
    ] = None,
    opts: Annotated[
        list[str] | None, of_list("LEVEL", "Build at these optimisation levels (default: O2).", completion.levels)
    ] = None,
    engine_names: Annotated[list[str] | None, engine_option(engines.DEFAULT)] = None,
    extensions: Annotated[
        list[str] | None,
        of_list(
            "FILE",
            "Add the instructions that these CoreDSL files describe. Simulators only.",
            completion.files(".core_desc"),
        ),
    ] = None,
    totals: Annotated[
        list[str] | None,
        of_list(
            "SIZE",
            "On host and vm: measure whole messages of these sizes, processed in chained calls of each size in --sizes "
            "(default: single calls).",
        ),
    ] = None,
    machines: Annotated[
        list[str] | None,
        of_list(
            "MACHINE",
            "Measure cycles on these machines, modelled under sim; `ciphermark list machines` shows all (default: none "
            "under sim, each RTL engine's first).",
            completion.machines,
        ),
    ] = None,
    memory_latencies: Annotated[
        list[str] | None,
        of_list(
            "CYCLES",
            "Set the cycles from a memory request to its response (default: the machine's). Only on machines whose "
            "memory is not built from parts.",
        ),
    ] = None,
    states: Annotated[
        list[str] | None,
        of_list(
            "STATE",
            "Measure cold calls, the first after reset, or warm ones, the last of several on the same data (default: "
            "both). Machines only.",
            completion.of_choices(STATES),
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(metavar="N", min=3, help="On host: start N fresh processes per point (default: 7).")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(metavar="N", min=3, help="On host: take N samples per process (default: 21).")
    ] = None,
    cpu: Annotated[
        int | None, typer.Option(metavar="CPU", min=0, help="On host: measure on this CPU (default: the least busy).")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="On host: shuffle the order of processes with this seed (default: 1)."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="On host: take few samples, for a first look.")] = False,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile", help="On sim: print each function's instructions, or on machines its cycles, on stderr."
        ),
    ] = False,
    folded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="On sim: write each row's call as folded stacks for flamegraph.pl or speedscope (cycles on machines).",
        ),
    ] = None,
    jobs: JobsOption = None,
    quiet: QuietFlag = False,
    json_lines: JsonFlag = False,
    csv: CsvFlag = False,
) -> None:
    """Build, verify and measure implementations of an algorithm.

    Every point is measured again, even if its result is cached. To measure your own code, name its folder: it needs an
    implementation.toml and may be anywhere. An implementation that cannot be read, built or verified gets a row that
    says why, and the others are still measured. If none can be measured and the engines include a simulator, only the
    error is printed. The Linux kernels that vm boots, and Rocket's generator, are downloaded if they are missing.

    Examples:

      ciphermark measure aes-128-ecb --isas rv32i,rv32i_zbb --sizes 64..4K
      ciphermark measure aes-128-ctr --impls ./mine --operations encrypt --json
      ciphermark measure sha-256 --engines sim,qemu
      ciphermark measure aes-256-ecb --impls zvkned,zkne64 --vlens 128..1024
      ciphermark measure chacha20 --impls ./mine --extensions mine.core_desc
      ciphermark measure sha-256 --sizes 1K --profile --folded stacks.txt
      ciphermark measure aes-128-cbc --engines host --impls aesni,openssl
      ciphermark measure aes-128-cbc --engines vm --impls af-alg --isas aarch64
      ciphermark measure chacha20 --impls zbb --isas rv32im_zbb --engines ibex-rtl
    """
    status = 0
    with messages.exit_codes():
        form = output.chosen(json_lines, csv)
        base = sampling.QUICK if quick else sampling.Sampling()
        given = {"processes": processes, "samples": samples, "cpu": cpu, "seed": seed}
        chosen = {name: value for name, value in given.items() if value is not None}
        asked = split(engine_names) or (engines.DEFAULT,)
        _only_where_timed(["quick"] * quick + list(chosen), asked)
        if profile or folded is not None:
            measure_profile.require(asked)
        how = replace(base, **chosen)
        cache_space.keep_bounded()
        with shown(quiet) as progress:
            rows = measurement.measure(
                algorithm,
                implementations=split(impls),
                operations=split(operations),
                sizes=split(sizes) or DEFAULT_SIZES,
                isas=split(isas),
                compilers=split(compilers) or (measurement.DEFAULT_COMPILER,),
                opts=tuple(map(without_dash, split(opts))) or (measurement.DEFAULT_OPT,),
                engines=asked,
                vlen=split(vlens),
                extensions=split_files(extensions),
                workers=jobs,
                totals=split(totals),
                machines=split(machines),
                memory_latency=tuple(map(_cycles, split(memory_latencies))),
                states=tuple(map(_state, split(states))),
                sampling=how,
                progress=progress,
            )
        output.print_rows(rows, form)
        if not quiet:
            for remark in rows.remarks:
                messages.note(remark)
        if profile or folded is not None:
            measure_profile.write(rows, split_files(extensions), shown=profile, folded=folded)
        status = _status(rows)
    raise SystemExit(status)


def _cycles(given: str) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= MOST_LATENCY:
        raise UsageError(f"--memory-latencies: {given!r} is not a number of cycles from 1 to {MOST_LATENCY}")
    return int(given)


def _state(given: str) -> State:
    for state in STATES:
        if state == given:
            return state
    raise UsageError(f"--states: {given!r} is neither {' nor '.join(STATES)}")


def _only_where_timed(options: Sequence[str], names: Sequence[str]) -> None:
    """Refuse options of sampling if nothing is sampled: they would silently do nothing."""
    if not options:
        return
    engines.require(names)
    if not any(engines.measures_time(name) for name in names):
        raise UsageError(
            f"--{options[0]} is for measuring time, which is not done on {' or '.join(names)}", "Use --engines host."
        )


def _status(rows: Rows) -> int:
    """Print each mistake that rows report on stderr, and return the exit status."""
    bad = [row for row in rows if _is_mistake(row)]
    for alike in _by_reason(bad):
        at = ", ".join(dict.fromkeys(row.isa for row in alike if row.isa))
        where = f" at {at}" if at else ""
        on = ", ".join(dict.fromkeys(row.engine for row in alike))
        messages.error(f"{alike[0].implementation}{where} ({on}): {alike[0].note}")
    if any(row.verdict == "failed" for row in bad):
        return ExitCode.MISMATCH
    return ExitCode.FAILED if bad else ExitCode.OK


def _by_reason(rows: Sequence[Row]) -> Iterable[Sequence[Row]]:
    """Rows of an implementation that say the same, whatever command line a compiler was called with."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        said = "\n".join(line for line in (row.note or "").splitlines() if not line.startswith("$ "))
        found.setdefault((row.implementation, said), []).append(row)
    return found.values()


def _is_mistake(row: Row) -> bool:
    """What this machine lacks is not a mistake; what a simulator cannot do was asked for."""
    return row.verdict in ("failed", "error") or (row.verdict == "unsupported" and not engines.is_native(row.engine))
