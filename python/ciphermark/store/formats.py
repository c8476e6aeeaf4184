"""Rows as CSV and Parquet: the same columns in the same order."""

from __future__ import annotations

import csv
import io
import types
import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ciphermark.model import COLUMNS, Row

if TYPE_CHECKING:
    import polars


def to_csv(rows: Iterable[Row]) -> str:
    """A header and one line a row; what was not measured is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(getattr(row, name)) for name in COLUMNS])
    return text.getvalue()


def to_polars(rows: Iterable[Row]) -> polars.DataFrame:
    """A frame with typed columns, also where all is null. Raises ``ModuleNotFoundError`` without polars."""
    import polars

    kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
    hints = typing.get_type_hints(Row)
    schema = {name: kinds[_scalar(hints[name])] for name in COLUMNS}
    columns = {name: [getattr(row, name) for row in rows] for rows in [list(rows)] for name in COLUMNS}
    return polars.DataFrame(columns, schema=schema)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _scalar(annotation: Any) -> type:
    """The type of a column's values: ``int`` of ``int | None``, ``str`` of a ``Literal`` of strings."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        annotation = next(part for part in typing.get_args(annotation) if part is not type(None))
    if typing.get_origin(annotation) is typing.Literal:
        return type(typing.get_args(annotation)[0])
    return typing.cast(type, annotation)
