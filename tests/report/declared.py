"""A results folder of a built-in study with invented rows of all that one of its answers is about: what is declared to
be less is less."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import SCHEMA, Row
from ciphermark.rows.selection import Selector
from ciphermark.study.headline import Answer, Number
from ciphermark.study.load import find, load
from ciphermark.study.schema import Study
from report import synthetic

Key = tuple[tuple[str, Any], ...]

_UNSAID: dict[str, Any] = {
    "algorithm": "aes", "operation": "encrypt", "implementation": "aes/sbox", "isa": "rv32i", "compiler": "zig",
    "opt": "O2", "engine": "sim", "vlen": None, "machine": None, "memory_latency": None, "state": None, "size": 1024,
    "total_bytes": None,
}  # fmt: skip
_SIZES = (16, 256, 4096, 65536)
_VLENS = (128, 256, 512, 1024, 2048)


def write(folder: Path, name: str) -> Path:
    study = load(find(name))
    answer = next(a for a in study.headline.answers if all(n.form != "break-even" for n in a.numbers.values()))
    headline = study.headline.model_copy(update={"answers": (answer,)})
    record = {"schema": SCHEMA, "id": study.id, "title": study.title, "question": study.question,
              "headline": headline.model_dump(mode="json")}  # fmt: skip
    claims = [{"verdict": verdict} for verdict in ("confirmed", "contradicted", "not testable") for _ in range(12)]
    synthetic.write(folder, _rows(study, answer), study=json.loads(json.dumps(record)), claims=claims)
    return folder


def _rows(study: Study, answer: Answer) -> list[Row]:
    levels: dict[Key, float] = {}
    for number in answer.numbers.values():
        for key in (*_keys(number.where, number.rows), *(_keys(number.where, number.over) if number.over else ())):
            levels.setdefault(key, 50.0)
    for key in _drawn(answer):
        levels.setdefault(key, 20.0 + 7 * (len(levels) % 9))
    for _ in range(60):
        for number in answer.numbers.values():
            _settle(levels, number)
    return [_row(study.id, key, level) for key, level in levels.items()]


def _drawn(answer: Answer) -> Iterator[Key]:
    drawing = answer.figure
    for part, line, mark in itertools.product(drawing.parts, drawing.lines, drawing.marks or (None,)):
        given = [part.where, line.rows, *([mark.rows] if mark is not None else [])]
        named = {name for each in given for name in each.columns()}
        alike = {
            name: set.intersection(*(set(each.columns()[name]) for each in given if name in each.columns()))
            for name in named
        }
        if all(alike.values()):
            wide: dict[str, Sequence[int]] = (
                {"size": _SIZES} if drawing.kind == "lines" and drawing.x == "size" and "size" not in named else {}
            )
            wide |= {"vlen": _VLENS} if drawing.kind == "lines" and drawing.x == "vlen" and "zvk" in str(alike) else {}
            yield from _keys(Selector.model_validate({**{n: sorted(v) for n, v in alike.items()}, **wide}))


def _keys(*selectors: Selector) -> list[Key]:
    asked: dict[str, Sequence[Any]] = {}
    for selector in selectors:
        asked.update({name: values for name, values in selector.columns().items() if name != "architecture"})
    if "total_bytes" in asked:
        asked["total_bytes"] = asked["total_bytes"][:1]
    columns = {name: asked.get(name, (default,)) for name, default in _UNSAID.items()}
    return [tuple(zip(columns, values, strict=True)) for values in itertools.product(*columns.values())]


def _settle(levels: dict[Key, float], number: Number) -> None:
    """Raise what has to be more."""
    if number.over is None or number.form == "share":
        return
    ours, theirs = (_matching(levels, number.where, side) for side in (number.rows, number.over))
    if (number.form == "more") != (not METRICS[number.metric].less_is_better):
        ours, theirs = theirs, ours
    for key in theirs:
        levels[key] = max(levels[key], 1.4 * max(levels[other] for other in ours))


def _matching(levels: dict[Key, float], *selectors: Selector) -> list[Key]:
    asked = [item for each in selectors for item in each.columns().items() if item[0] != "architecture"]
    of_machines = any(name in ("engine", "machine", "state") for name, _ in asked)
    return [
        key
        for key, known in ((key, dict(key)) for key in levels)
        if all(known[name] in values for name, values in asked) and (of_machines or known["machine"] is None)
    ]


def _row(study: str, key: Key, level: float) -> Row:
    known = dict(key)
    size = known["size"]
    native = known["engine"] == "host"
    cycles = None if native or known["machine"] is None else round(level * size * 1.3)
    return Row(
        study=study, abi="gnu" if native else "ilp32", verified=True, verdict="ok", **known,
        instructions=None if native else round(level * size), instructions_per_byte=None if native else level,
        cycles=cycles, cycles_per_byte=None if cycles is None else cycles / size,
        seconds=level * size * 1e-9 if native else None, bytes_per_second=1e9 / level if native else None,
        causes={"fetch": round(cycles * 0.7), "data": cycles - round(cycles * 0.7)} if cycles else None,
        point=str(key), provenance="invented",
    )  # fmt: skip
