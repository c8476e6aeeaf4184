"""``ciphermark list``."""

import itertools
from collections.abc import Sequence
from typing import Any

from ciphermark import engines, family, kernels, native
from ciphermark.cli import command, messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.study.load import builtin, load

_SHOWN = 4
"""More choices than these are shown as the first two and the last."""

app = command.application(help="List what there is to run, to measure and to measure with.")


def studies(json_lines: JsonFlag = False) -> None:
    """Studies that `ciphermark run` knows by name."""
    with messages.exit_codes():
        found = [load(path) for path in builtin().values()]
        _print(
            [{"study": study.id, "title": study.title, "question": study.question} for study in found],
            json_lines,
        )


def implementations(json_lines: JsonFlag = False) -> None:
    """Implementations that come with the package."""
    with messages.exit_codes():
        found = kernels.list_implementations()
        records = [
            {
                "implementation": one.name,
                "summary": one.summary,
                "algorithms": list(one.algorithms),
                "xlen": list(one.xlen),
                "requires": list(one.requires),
                "native": list(one.native),
                "constant_time": one.constant_time,
            }
            for one in found
        ]
        shown = [
            {
                "implementation": one.name,
                "summary": one.summary,
                "runs on": [*(f"RV{xlen}" for xlen in one.xlen), *one.native],
                "requires": [*one.requires] or None,
                "algorithms": compact(one.algorithms),
                "constant time": one.constant_time,
            }
            for one in found
        ]
        _print(records, json_lines, shown, ("algorithms", "constant time", "requires"))


def algorithms(json_lines: JsonFlag = False) -> None:
    """Algorithms and their operations."""
    with messages.exit_codes():
        _print(
            [
                {"algorithm": algorithm.name, "family": name, "operations": list(algorithm.operations)}
                for name in family.names()
                for algorithm in family.load(name).algorithms.values()
            ],
            json_lines,
        )


def extensions(json_lines: JsonFlag = False) -> None:
    """Instruction-set extensions that engine sim knows."""
    with messages.exit_codes():
        _print(
            [
                {"extension": name, "summary": summary, "instructions": count}
                for name, summary, count in native.engine().builtin_extensions()
            ],
            json_lines,
        )


def list_engines(json_lines: JsonFlag = False) -> None:
    """Engines, and whether they can be used here."""
    with messages.exit_codes():
        _print([_engine(name) for name in engines.all_names()], json_lines)


for each, name in (
    (studies, "studies"),
    (implementations, "implementations"),
    (algorithms, "algorithms"),
    (extensions, "extensions"),
    (list_engines, "engines"),
):
    command.add(app, each, name)


def _engine(name: str) -> dict[str, Any]:
    engine = engines.find(name)
    problem = engine.problem()
    return {"engine": name, "version": engine.version() if problem is None else None, "problem": problem}


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


def _print(
    records: list[dict[str, Any]],
    json_lines: bool,
    shown: list[dict[str, Any]] | None = None,
    less_asked_for: Sequence[str] = (),
) -> None:
    form = output.chosen(json_lines, csv=False)
    output.print_records(records, form, shown=shown, less_asked_for=less_asked_for)
