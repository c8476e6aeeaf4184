"""Whether the rows of a study are constant time: the secrets of each call are followed, and runs with other secrets are
compared with each other."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from ciphermark import engines
from ciphermark.errors import CiphermarkError, ReadOnlyError
from ciphermark.execution import constant_time
from ciphermark.rows.model import Row
from ciphermark.rows.secrets import Checked, Finding, Leak, Tested, Where
from ciphermark.rows.selection import select
from ciphermark.store import paths, records, usage
from ciphermark.store.atomic import read_regular, write_atomically
from ciphermark.study.schema import Secrets

FORMAT = 1
"""Version of what the cache keeps of a test."""


def with_secrets(
    rows: Sequence[Row], asked: Secrets, workers: int | None = None, tell: Callable[[str], None] = lambda _: None
) -> tuple[list[Row], tuple[Tested, ...], list[str]]:
    """Test the rows that a study selects.

    Returns all rows, those tested with ``leaks`` and ``constant_time``; what each test found, in the order of the rows;
    and a remark for each reason for which rows could not be tested. ``tell`` hears how far it is.
    """
    chosen = [row for row in select(rows, asked.where) if _can_be_followed(row)]
    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)), thread_name_prefix="ciphermark") as pool:
        done = []
        for each in pool.map(lambda row: _kept(row, asked), chosen):
            done.append(each)
            tell(f"following secrets in {len(done):,} of {len(chosen):,} rows")
    found = {each.point: each for each in done if isinstance(each, Tested)}
    reasons = Counter(each for each in done if isinstance(each, str))
    remarks = [f"note: {times} rows were not tested for constant time: {why}" for why, times in sorted(reasons.items())]
    tested = tuple(found[row.point] for row in rows if row.point in found)
    return [_with(row, found.get(row.point)) for row in rows], tested, remarks


def _can_be_followed(row: Row) -> bool:
    is_measured = row.verified and not row.extrapolated and row.machine is None
    return is_measured and engines.find(row.engine).follows_secrets


def _with(row: Row, tested: Tested | None) -> Row:
    if tested is None:
        return row
    row = replace(row, leaks=tested.leaking, constant_time=tested.constant_time)
    if not tested.unexplained:
        return row
    note = (
        f"runs with other secrets differ at {'; '.join(tested.unexplained)}, which the shadow of the secrets did not "
        "find: one of the two is wrong"
    )
    return replace(row, verdict="flagged", note="; ".join(filter(None, (row.note, note))))


def _kept(row: Row, asked: Secrets) -> Tested | str:
    """The result of a test, from the cache if it is there; or why it could not be made."""
    root = paths.cache()
    said = f"secrets {FORMAT} {row.point} {asked.pairs} {asked.cache_line}"
    key = hashlib.sha256(said.encode()).hexdigest()
    place = root / "secrets" / key[:2] / key
    with usage.looking_up(root):
        found = _read(place / "secrets.json", row.point)
        if found is not None:
            usage.mark(place)
            return found
    try:
        checked = constant_time.follow(row, cache_line=asked.cache_line, differential=asked.pairs)
    except CiphermarkError as error:
        return str(error)
    made = summary(checked)
    with contextlib.suppress(ReadOnlyError):
        write_atomically(place / "secrets.json", records.to_lines(Tested, [made]).encode())
    return made


def _read(path: Path, point: str) -> Tested | None:
    """The kept result; ``None`` if there is none that can be used."""
    try:
        (found,) = records.lines(str(path), read_regular(path).decode(), Tested)
    except (OSError, ValueError, CiphermarkError):
        return None
    return found if found.point == point else None


def summary(checked: Checked) -> Tested:
    """What a study keeps of a test: no address, no folder of this machine."""
    witness = checked.witness
    alike: dict[tuple[str, str], list[Finding]] = {}
    for each in checked.leaks:
        alike.setdefault((each.kind, _line(each.where) or _place(each.where)), []).append(each)
    return Tested(
        point=checked.row.point,
        instructions=checked.instructions,
        runs=witness.runs if witness is not None else 0,
        differences=len(witness.differences) if witness is not None else 0,
        unexplained=tuple(_place(each.where) for each in witness.unexplained) if witness is not None else (),
        leaking=len(checked.leaks),
        leaks=tuple(map(_leak, alike.values())),
    )


def _leak(alike: Sequence[Finding]) -> Leak:
    first = alike[0]
    return Leak(
        kind=first.kind,
        line=_line(first.where),
        instructions=len(alike),
        times=sum(each.times for each in alike),
        place=_place(first.where),
        text=first.where.text,
        secret=first.source,
        way=tuple(f"{_place(step)}: {step.text}" for step in first.way),
    )


def _place(where: Where) -> str:
    return f"{where.function or '?'}+{where.offset:#x}"


def _line(where: Where) -> str:
    return f"{Path(where.line[0]).name}:{where.line[1]}" if where.line is not None else ""
