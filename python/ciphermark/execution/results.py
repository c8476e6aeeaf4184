"""What a run gives back: frozen records, and views of them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ciphermark.analysis.pivot import Pivot
from ciphermark.claims.judge import Judgement
from ciphermark.execution import frames
from ciphermark.rows.model import COLUMNS, Row
from ciphermark.store import results

if TYPE_CHECKING:
    import altair
    import polars

SHOWN = (
    "implementation", "algorithm", "operation", "isa", "vlen", "compiler", "opt", "engine", "size", "instructions",
    "instructions_per_byte", "seconds", "bytes_per_second", "code_bytes", "stack_bytes", "verdict",
)  # fmt: skip
"""Columns of the short table a notebook shows."""

OFTEN_ABSENT = ("vlen", "instructions", "instructions_per_byte", "seconds", "bytes_per_second", "stack_bytes")
"""Shown only where some row has them."""

SHOWN_ROWS = 40


class Rows(Sequence[Row]):
    """Rows in the study's order, not to be changed."""

    def __init__(self, rows: Iterable[Row], remarks: Iterable[str] = ()) -> None:
        self._rows = tuple(rows)
        self.remarks = tuple(remarks)
        """What was left out and why, and what makes figures of time worse: a sentence each."""

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> Row | Rows:
        return Rows(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return self._rows == other._rows if isinstance(other, Rows) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(row.point for row in self._rows))

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"

    def to_polars(self) -> polars.DataFrame:
        """A polars frame (install ``ciphermark[analysis]``)."""
        return results.to_polars(self)

    def to_pandas(self) -> Any:
        """A pandas frame (install ``ciphermark[notebook]``)."""
        return frames.to_pandas(self.columns())

    def columns(self) -> dict[str, list[Any]]:
        """The values of each column, ``None`` where nothing was measured."""
        return {name: [getattr(row, name) for row in self] for name in COLUMNS}

    def plot(self, x: str, y: str, color: str | None = None, **properties: Any) -> altair.Chart:
        """An Altair chart of two columns, coloured by a third (install ``ciphermark[notebook]``); ``properties`` are
        those of the chart. Rows in which either was not measured have no mark."""
        return frames.chart(self.columns(), x, y, color, **properties)

    def _repr_html_(self) -> str:
        shown = [
            name for name in SHOWN if name not in OFTEN_ABSENT or any(getattr(row, name) is not None for row in self)
        ]
        more = f"<p>… and {len(self) - SHOWN_ROWS} more rows</p>" if len(self) > SHOWN_ROWS else ""
        return html_table(shown, ([cell(getattr(row, name)) for name in shown] for row in self[:SHOWN_ROWS])) + more


@dataclass(frozen=True, slots=True)
class ControlResult:
    name: str
    expected: str
    outcome: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Results:
    study: str
    rows: Rows
    tables: tuple[Pivot, ...]
    claims: tuple[Judgement, ...]
    controls: tuple[ControlResult, ...]
    mismatches: tuple[str, ...]
    manifest: dict[str, Any]
    directory: Path

    def to_polars(self) -> polars.DataFrame:
        return self.rows.to_polars()

    def to_pandas(self) -> Any:
        return self.rows.to_pandas()

    def plot(self, x: str, y: str, color: str | None = None, **properties: Any) -> altair.Chart:
        """Like :meth:`Rows.plot`."""
        return self.rows.plot(x, y, color, **properties)

    def _repr_html_(self) -> str:
        verdicts = "".join(
            f"<tr><td>{html.escape(claim.claim)}</td><td><b>{claim.verdict}</b></td>"
            f"<td>{html.escape(claim.reason)}</td></tr>"
            for claim in self.claims
        )
        table = f"<table><tbody>{verdicts}</tbody></table>" if verdicts else ""
        return f"<h3>{html.escape(self.study)}</h3>{table}{self.rows._repr_html_()}"


def html_table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """An HTML table; cells must be HTML already."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in line)}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value: object) -> str:
    """A value as HTML."""
    if value is None:
        return ""
    return f"{value:,.2f}" if isinstance(value, float) else html.escape(str(value))
