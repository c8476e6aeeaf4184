"""Columns as data frames and charts of other libraries, which are imported when first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.errors import UsageError, nearest
from ciphermark.rows.metrics import METRICS

if TYPE_CHECKING:
    import altair

Columns = Mapping[str, Sequence[Any]]
"""Values of each row, by column; ``None``: not measured."""

MOST_MARKS = 20_000
"""Most marks of a chart: a notebook holds each of them as text."""


def needed(module: str, extra: str) -> Any:
    """The library. Raises :class:`UsageError` that says how to install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise UsageError(f"this needs {module}", f"pip install 'ciphermark[{extra}]'") from None


def to_pandas(columns: Columns) -> Any:
    """A frame in which whole numbers stay whole where some are missing."""
    pandas = needed("pandas", "notebook")
    return pandas.DataFrame(
        {name: pandas.array(list(values), dtype=_dtype(values)) for name, values in columns.items()}
    )


def _dtype(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "Int64"
    return "Float64" if kinds and kinds <= {int, float} else "string"


def chart(columns: Columns, x: str, y: str, color: str | None = None, **properties: Any) -> altair.Chart:
    """A point for each row that has ``x`` and ``y``. ``properties`` are those of the chart (``width``, ``title``).
    Raises :class:`UsageError` for a column that there is not, and without altair."""
    for name in (x, y, *([color] if color is not None else [])):
        if name not in columns:
            raise UsageError(f"there is no column {name!r}", nearest(name, columns))
    library = needed("altair", "notebook")
    asked = list(dict.fromkeys(name for name in (x, y, color) if name is not None))
    rows = zip(*(columns[name] for name in asked), strict=True)
    points = [dict(zip(asked, row, strict=True)) for row in rows]
    shown = [point for point in points if point[x] is not None and point[y] is not None]
    if len(shown) > MOST_MARKS:
        raise UsageError(f"{len(shown):,} rows are too many for a chart", "Select some of them first.")
    encoding: dict[str, Any] = {
        "x": library.X(_field(x, columns), title=_label(x), scale=_scale(library, x)),
        "y": library.Y(_field(y, columns), title=_label(y), scale=_scale(library, y)),
        "tooltip": [library.Tooltip(_field(name, columns), title=_label(name)) for name in asked],
    }
    if color is not None:
        # No reader needs colours to tell lines apart.
        kind = f"{_escaped(color)}:N"
        encoding["color"] = library.Color(kind, title=_label(color))
        encoding["shape"] = library.Shape(kind, title=_label(color))
    made: altair.Chart = library.Chart(library.Data(values=shown)).mark_point(filled=True, size=50)
    return made.encode(**encoding).properties(**properties)


def _field(name: str, columns: Columns) -> str:
    figures = all(value is None or (isinstance(value, (int, float)) and value is not True) for value in columns[name])
    return f"{_escaped(name)}:{'Q' if figures else 'N'}"


def _escaped(name: str) -> str:
    """Names of columns are ours; should one have a dot, it is no path."""
    return name.replace(".", "\\.")


_POWERS = ("size", "total_bytes", "vlen")


def _scale(library: Any, name: str) -> Any:
    """Message sizes and vector lengths go by powers of two."""
    return library.Scale(type="log", base=2) if name in _POWERS else library.Undefined


def _label(name: str) -> str:
    known = METRICS.get(name)
    return known.label if known is not None and known.scale == 1 else name
