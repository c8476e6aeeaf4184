"""A results folder as the records that a run wrote into it; all but rows may be absent."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ciphermark.claims.judge import Judgement, Judgements
from ciphermark.execution.study_record import StudyRecord
from ciphermark.rows.listing import CodeListing
from ciphermark.rows.model import Row
from ciphermark.store import records


@dataclass(frozen=True, slots=True)
class Results:
    study: StudyRecord
    rows: tuple[Row, ...]
    claims: tuple[Judgement, ...]
    manifest: dict[str, Any]
    emulator_cost: tuple[tuple[str, ...], ...] = ()
    """``emulator_cost.csv`` with its header: what running an emulator cost the host."""
    listings: tuple[CodeListing, ...] = ()
    """Code of timed calls, with executions."""


def read(directory: Path) -> Results:
    """Read ``results/<study>/``. Raises :class:`~ciphermark.store.records.InputError` if there are no rows, or a file
    is malformed or of another version. The other records may be absent: a plain ``measure`` has none."""
    rows = records.read_rows(directory / "rows.jsonl")
    claims = records.read(directory / "claims.json", Judgements)
    return Results(
        study=records.read(directory / "study.json", StudyRecord) or StudyRecord(id=directory.resolve().name),
        rows=rows,
        claims=claims.claims if claims is not None else (),
        manifest=records.read(directory / "manifest.json", dict[str, Any]) or {},
        emulator_cost=_csv(directory / "emulator_cost.csv"),
        listings=records.read_lines(directory / "listings.jsonl", CodeListing) or (),
    )


def _csv(path: Path) -> tuple[tuple[str, ...], ...]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return tuple(tuple(line) for line in csv.reader(file))
    except FileNotFoundError:
        return ()
