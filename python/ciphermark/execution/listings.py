"""The listings of a study: of each program and work on engine ``sim``, the code of the timed call with its counts."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ciphermark import engines
from ciphermark.analysis import loops
from ciphermark.analysis.passage import Cost, by_function, by_place, waits
from ciphermark.errors import CiphermarkError, ReadOnlyError
from ciphermark.execution.explanation import followed
from ciphermark.rows.listing import SHARED, CodeListing, FunctionCost, HottestLoop
from ciphermark.rows.model import Row
from ciphermark.rows.passage import Passage, Place
from ciphermark.rows.selection import grouped, having
from ciphermark.store import paths, records, usage
from ciphermark.store.atomic import read_regular, write_atomically
from ciphermark.study.headline import Headline

FORMAT = 1
"""Version of a listing in the cache."""

MOST_LISTINGS = 600
"""Most listings of a study. Those of the headline's work come first, then others in the study's order."""

MOST_FOLLOWED = 8000
"""Instructions of the call that stands for all sizes: of the sizes measured the largest that has no more."""

FEWEST_FOLLOWED = 400_000
"""Instructions that the smallest size may have if every size has more than that."""

MOST_LINES = 2000
"""Instructions of a listing."""


def listings(rows: Sequence[Row], headline: Headline, workers: int | None = None) -> tuple[CodeListing, ...]:
    """Listings in the order of their rows. A call that cannot be followed has none."""
    chosen = _chosen(rows, headline)
    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)), thread_name_prefix="ciphermark") as pool:
        found = {each.point: each for each in pool.map(_kept, chosen) if each is not None}
    return tuple(found[row.point] for row in rows if row.point in found)


def _chosen(rows: Sequence[Row], headline: Headline) -> list[Row]:
    followable = [row for row in rows if _is_followable(row)]
    asked = {row.point for row in having(followable, headline.where.columns())}
    chosen = [row for alike in grouped(followable, *SHARED).values() if (row := _representative(alike)) is not None]
    works = {_work(row) for row in followable if row.point in asked}
    return sorted(chosen, key=lambda row: _work(row) not in works)[:MOST_LISTINGS]


def _is_followable(row: Row) -> bool:
    """Whether its call is the last one of its run, or the only one, on an engine that can follow it."""
    if not row.verified or row.extrapolated or engines.find(row.engine).most_steps is None:
        return False
    return row.opcodes is not None if row.machine is None else row.causes is not None and row.state == "warm"


def _work(row: Row) -> tuple[Any, ...]:
    return row.algorithm, row.operation, row.compiler, row.opt


def _representative(alike: Iterable[Row]) -> Row | None:
    by_length = sorted(alike, key=lambda row: (row.instructions or 0, row.size))
    short = [row for row in by_length if (row.instructions or 0) <= MOST_FOLLOWED]
    chosen = short[-1] if short else by_length[0]
    return chosen if (chosen.instructions or 0) <= FEWEST_FOLLOWED else None


def _kept(row: Row) -> CodeListing | None:
    """The listing from the cache, or made and kept there: what determines the row determines its listing."""
    root = paths.cache()
    key = hashlib.sha256(f"listing {FORMAT} {row.point}".encode()).hexdigest()
    place = root / "listings" / key[:2] / key
    with usage.looking_up(root):
        found = _read(place / "listing.json", row.point)
        if found is not None:
            usage.mark(place)
            return found
    try:
        made = listing_of(row)
    except CiphermarkError:
        return None
    with contextlib.suppress(ReadOnlyError):
        write_atomically(place / "listing.json", records.to_lines(CodeListing, [made]).encode())
    return made


def _read(path: Path, point: str) -> CodeListing | None:
    """What cannot be used is as good as absent."""
    try:
        (found,) = records.lines(str(path), read_regular(path).decode(), CodeListing)
    except (OSError, ValueError, CiphermarkError):
        return None
    return found if found.point == point else None


def listing_of(row: Row) -> CodeListing:
    """Follow the row's call. Raises :class:`CiphermarkError`, as :func:`followed` does."""
    return of_passage(row.point, followed(row))


def of_passage(point: str, passage: Passage) -> CodeListing:
    costs = by_place(passage)
    totals = by_function(passage, costs)
    hot = loops.hottest(loops.loops(passage, costs))
    shown = _shown(costs, hot)
    number = {place: index for index, place in enumerate(shown)}
    names = list(totals)
    places = [passage.places[index] for index in shown]
    loop = HottestLoop(first=number[hot.first], last=number[hot.last], iterations=hot.iterations) if hot else None
    return CodeListing(
        point=point,
        functions=tuple(
            FunctionCost(name=name, instructions=cost.executions, cycles=cost.cycles if passage.timed else None)
            for name, cost in totals.items()
        ),
        loop=loop,
        addresses=tuple(place.address for place in places),
        inside=tuple(names.index(place.function) for place in places),
        texts=tuple(place.text for place in places),
        executions=tuple(costs[index].executions for index in shown),
        cycles=tuple(costs[index].cycles for index in shown) if passage.timed else None,
        waits=tuple(waits(costs[index]) for index in shown) if passage.timed else None,
        sources=tuple(map(_source, places)) if any(place.line for place in places) else None,
        omitted=len(costs) - len(shown),
    )


def _shown(costs: Sequence[Cost], hot: loops.Loop | None) -> list[int]:
    """Numbers of the places that are listed: the loop, then those that most was spent on."""
    inside = range(hot.first, hot.last + 1) if hot is not None else range(0)
    by_cost = sorted(range(len(costs)), key=lambda index: (index not in inside, -costs[index].cycles, index))
    kept = set(by_cost[:MOST_LINES])
    if hot is not None:
        # Its ends are what it is named by.
        kept |= {hot.first, hot.last}
    return sorted(kept)


def _source(place: Place) -> str:
    return f"{Path(place.line[0]).name}:{place.line[1]}" if place.line is not None else ""
