"""What a study's report shows of its rows, as the study file declares it: plots, tables, fits and listings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ciphermark.notation.manifest import ManifestModel
from ciphermark.rows.metrics import MetricName
from ciphermark.rows.selection import Selector
from ciphermark.toolchain.compiler import Opt


class Plot(ManifestModel):
    """A figure of the rows that ``where`` selects."""

    kind: Literal["by-isa", "by-size", "by-technique", "code-size", "break-even", "area", "heat-map"]
    each: Literal["total_bytes"] | None = None
    """Draw one figure for each value of this column, and append the value to the title."""
    title: str | None = None
    caption: str | None = None
    metric: MetricName | None = None
    where: Selector = Selector()
    x: str | None = None
    """For a heat map: the key that varies from left to right, such as `memory.parts.l1d.size`."""
    y: str | None = None
    """For a heat map: the key that varies from top to bottom."""

    @model_validator(mode="after")
    def _heat_maps_alone_have_axes(self) -> Plot:
        if (self.kind == "heat-map") != (self.x is not None and self.y is not None) or (self.x is None) != (
            self.y is None
        ):
            raise ValueError("a plot of kind `heat-map` has `x` and `y`, and no other kind has them")
        return self


class TableLine(ManifestModel):
    """Rows that differ only in the table's column. With ``over``, each is divided by its match in that selection."""

    label: str
    rows: Selector
    less: Selector | None = None
    """Subtracted from each row first: a program that does the same without what the table is about."""
    over: Selector | None = None
    over_less: Selector | None = None
    """Subtracted from the divisor."""


class Table(ManifestModel):
    """A table of the answer: one metric, a line for each entry of ``lines``, a column for each value of ``columns``."""

    title: str
    caption: str | None = None
    metric: MetricName = "instructions"
    columns: Literal[
        "vlen", "size", "total_bytes", "implementation", "isa", "compiler", "opt", "machine", "algorithm", "operation"
    ] = "vlen"
    cells: Literal["range", "mean"] = "range"
    """What a cell with several rows shows: the smallest and the largest, or the mean."""
    where: Selector = Selector()
    lines: tuple[TableLine, ...] = Field(min_length=1)
    figure: bool = False
    """Also draw it as bars, before the plots."""

    @model_validator(mode="after")
    def _ratios_or_figures(self) -> Table:
        if len({line.over is None for line in self.lines}) > 1:
            raise ValueError("either all lines have `over` or none: quotients and figures cannot share a table")
        if any(line.over_less is not None and line.over is None for line in self.lines):
            raise ValueError("`over_less` is subtracted from `over`: give that as well")
        return self


FITTED_BY = ("implementation", "isa")
"""Columns in which the two sides of a fit may differ."""


class Fits(ManifestModel):
    """The cost of a call, as a fixed part and a part per byte, and the size from which ``subject`` costs less than
    ``baseline``. Every algorithm, operation, compiler, level and engine has its own lines."""

    title: str
    caption: str | None = None
    metric: Literal["seconds", "instructions", "cycles"] = "seconds"
    where: Selector = Selector()
    baseline: Selector
    subject: Selector

    @model_validator(mode="after")
    def _comparable(self) -> Fits:
        first, second = self.baseline.columns(), self.subject.columns()
        for name in first | second:
            if name not in FITTED_BY and first.get(name) != second.get(name):
                raise ValueError(
                    f"`baseline` and `subject` differ in `{name}`: so their lines are not comparable; "
                    f"put it into `where`: they may only differ in {' and '.join(f'`{each}`' for each in FITTED_BY)}"
                )
        return self


class ListingColumn(ManifestModel):
    isa: str
    compiler: str
    opt: Opt


class Listing(ManifestModel):
    """The disassembly of one function, compiled for several targets, side by side."""

    title: str
    note: str | None = None
    implementation: str
    symbol: str
    columns: tuple[ListingColumn, ...] = Field(min_length=1)
