"""``ciphermark list``."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ciphermark import embedded, engines
from ciphermark.cli import command, messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.kernels import catalogue, family, programs
from ciphermark.rtl import machines
from ciphermark.study.load import builtin, load

_SHOWN = 4
"""More choices than these are shown as the first two and the last."""

_LESS_ASKED_FOR = ("algorithms", "constant time", "requires")
"""Columns of implementations that are left out if the terminal is narrow."""

_Record = dict[str, Any]

app = command.application(help="List studies, implementations, engines, machines and more.")


def studies() -> list[_Record]:
    """List the studies that `ciphermark run` knows by name."""
    found = (load(path) for path in builtin().values())
    return [{"study": study.id, "title": study.title, "question": study.question} for study in found]


def implementations() -> list[_Record]:
    """List the built-in implementations."""
    return [
        {
            "implementation": one.name,
            "summary": one.summary,
            "algorithms": list(one.algorithms),
            "xlen": list(one.xlen),
            "requires": list(one.requires),
            "native": list(one.native),
            "constant_time": one.constant_time,
        }
        for one in catalogue.list_implementations()
    ]


def _implementation(record: _Record) -> _Record:
    return {
        "implementation": record["implementation"],
        "summary": record["summary"],
        "runs on": [*(f"RV{xlen}" for xlen in record["xlen"]), *record["native"]],
        "requires": record["requires"] or None,
        "algorithms": compact(record["algorithms"]),
        "constant time": record["constant_time"],
    }


def algorithms() -> list[_Record]:
    """List algorithms and their operations."""
    return [
        {"algorithm": algorithm.name, "family": name, "operations": list(algorithm.operations)}
        for name in family.names()
        for algorithm in family.load(name).algorithms.values()
    ]


def extensions() -> list[_Record]:
    """List the ISA extensions that engine sim knows."""
    keys = ("extension", "summary", "instructions")
    return [dict(zip(keys, each, strict=True)) for each in embedded.engine().builtin_extensions()]


def list_engines() -> list[_Record]:
    """List engines, and whether they can be used here."""
    found = ((engines.find(name), engines.find(name).problem()) for name in engines.all_names())
    return [
        {"engine": each.name, "version": each.version() if problem is None else None, "problem": problem}
        for each, problem in found
    ]


def list_machines() -> list[_Record]:
    """List machines, and how exact their models are."""
    offering = {name: engines.find(name) for name in engines.all_names()}
    return [
        {
            "machine": name,
            "summary": machines.machine(name).summary,
            "engines": [engine for engine, found in offering.items() if found.offers(name)],
            "memory latency": machines.machine(name).latency,
            "model": None if machines.machine(name).unmodelled() else machines.machine(name).accuracy,
        }
        for name in machines.names()
    ]


def list_programs() -> list[_Record]:
    """List the whole programs that studies run on machines."""
    found = ((name, programs.find(name)) for name in programs.names())
    return [
        {"program": name, "summary": program.summary, "threads": program.threads, "modes": list(program.modes)}
        for name, program in found
    ]


def show(found: Callable[[], list[_Record]], json_lines: bool = False) -> None:
    with messages.exit_codes():
        form, records = output.chosen(json_lines, csv=False), found()
        shown = list(map(_implementation, records)) if found is implementations else None
        output.print_records(records, form, shown=shown, less_asked_for=_LESS_ASKED_FOR if shown else ())


def _add(name: str, found: Callable[[], list[_Record]]) -> None:

    def listed(json_lines: JsonFlag = False) -> None:
        show(found, json_lines)

    listed.__doc__ = found.__doc__
    command.add(app, listed, name)


for each, called in (
    (studies, "studies"),
    (implementations, "implementations"),
    (algorithms, "algorithms"),
    (extensions, "extensions"),
    (list_engines, "engines"),
    (list_machines, "machines"),
    (list_programs, "programs"),
):
    _add(called, each)


def compact(names: Sequence[str]) -> list[str]:
    """Names that differ in some of their parts as one: ``aes-{128,192,256}-{ecb,ctr}``."""
    found = []
    for alike in _by_shape(names).values():
        choices = [list(dict.fromkeys(part)) for part in zip(*alike, strict=True)]
        if set(alike) == set(itertools.product(*choices)):
            found.append("-".join(map(_braced, choices)))
        else:
            found += ["-".join(parts) for parts in alike]
    return found


def _by_shape(names: Sequence[str]) -> dict[tuple[str, int], list[tuple[str, ...]]]:
    """The parts of each name; together those of one cipher with equally many."""
    found: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for name in names:
        parts = tuple(name.split("-"))
        found.setdefault((parts[0], len(parts)), []).append(parts)
    return found


def _braced(choices: Sequence[str]) -> str:
    if len(choices) == 1:
        return choices[0]
    shown = choices if len(choices) <= _SHOWN else [*choices[:2], "…", choices[-1]]
    return f"{{{','.join(shown)}}}"
