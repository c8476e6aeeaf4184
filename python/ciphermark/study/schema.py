"""The study file: a matrix of points, controls, figures, listings and claims.

Every table refuses unknown keys. Claims and row selectors have their own module.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ciphermark.claims.claims import Claims
from ciphermark.claims.schema import Metric, Selector, Size, Sizes, Vlens
from ciphermark.manifest import ManifestModel
from ciphermark.sizes import format_size

Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
Opt = Literal["O0", "O1", "O2", "O3", "Os", "Oz", "Og"]


class CompilerChoice(ManifestModel):
    """A compiler by the name ``ciphermark doctor`` shows, and the optimisation levels to build at."""

    name: str
    opts: tuple[Opt, ...] = Field(min_length=1)
    when_present: bool = False
    """Skip (and list) its points where the compiler is not installed, instead of refusing to run."""


class Axes(ManifestModel):
    """The axes of a matrix; ``[defaults]`` gives them for every block, a block overrides them."""

    implementations: tuple[str, ...] = ()
    isas: tuple[str, ...] = ()
    """Empty: each implementation's own default, for every XLEN it has."""
    compilers: tuple[CompilerChoice, ...] = ()
    algorithms: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    sizes: Sizes = ()
    """Not used by operations of fixed size (a block, a key)."""
    totals: Sizes = ()
    """Whole messages, worked off in chained calls of each of ``sizes``: for engines of native code."""
    measure_up_to: Size | None = None
    """Larger sizes are extrapolated by the exact linear law, and their rows say so."""
    full_totals: Sizes = ()
    """In the place of `totals` with `--full`: those of the source, where they take too long for a first look."""
    engine: str | None = None
    when_present: bool | None = None
    """Skip (and list) its points where the engine cannot be used, instead of refusing to run."""
    vlen: Vlens = ()
    """Bits of a vector register, for implementations that need vectors; empty: what the ISA string says, else 128."""


class Sampling(ManifestModel):
    """How much engines that measure time measure; what is left out has the engine's own default."""

    processes: int | None = Field(default=None, ge=3)
    samples: int | None = Field(default=None, ge=3)
    """In each process."""
    budget_ms: int | None = Field(default=None, ge=1)
    """After which a process begins no sample beyond the third."""


class RepeatControl(ManifestModel):
    """The same binary again, past the cache: every count must be the same. Engine `vm` does so with all of them, in a
    second boot."""

    id: str = Field(min_length=1)
    sample: int = Field(default=4, ge=1)
    """How many binaries, spread evenly over the study."""


class TrapControl(ManifestModel):
    """A binary that uses an extension, on a core without it: must be an illegal instruction."""

    id: str = Field(min_length=1)
    implementation: str
    algorithm: str
    operation: str
    size: Size
    isa: str
    """What the binary is compiled for."""
    run_on: str
    """The core it runs on."""
    provider: str
    """Extension the fault must name."""
    compiler: str
    opt: Opt


class TimedControl(ManifestModel):
    """On engines that measure time: a binary beside itself, which must show no difference, and beside itself with twice
    the bytes, which must."""

    id: str = Field(min_length=1)
    implementation: str
    algorithm: str
    operation: str
    size: Size
    opt: Opt = "O2"


class Controls(ManifestModel):
    """Experiments whose outcome is known beforehand."""

    repeat: tuple[RepeatControl, ...] = ()
    trap: tuple[TrapControl, ...] = ()
    timed: tuple[TimedControl, ...] = ()


class Plot(ManifestModel):
    """A figure over the rows ``where`` selects."""

    kind: Literal["by-isa", "by-size", "by-technique", "code-size", "break-even"]
    each: Literal["total_bytes"] | None = None
    """A figure for each value of this column that the rows have; the title says it after a comma."""
    title: str | None = None
    caption: str | None = None
    metric: Metric | None = None
    where: Selector = Selector()


class Headline(ManifestModel):
    """The report's main table: one metric by implementation and ISA."""

    metric: Metric = "instructions_per_byte"
    where: Selector = Selector()
    baseline: dict[Literal["32", "64"], str] = Field(default_factory=dict)
    """Per XLEN, the ISA that the others are compared with."""


class TableLine(ManifestModel):
    """Rows that differ in nothing but the table's columns; with ``over``, their quotient by those rows."""

    label: str
    rows: Selector
    over: Selector | None = None


class Table(ManifestModel):
    """A table of the answer: one metric, the lines listed, the values of one column of the rows across."""

    title: str
    caption: str | None = None
    metric: Metric = "instructions"
    columns: Literal["vlen", "size", "total_bytes", "implementation", "isa", "compiler", "opt"] = "vlen"
    cells: Literal["range", "mean"] = "range"
    """What a cell shows of several rows: the least and the greatest, or their mean."""
    where: Selector = Selector()
    lines: tuple[TableLine, ...] = Field(min_length=1)
    figure: bool = False
    """Drawn as bars besides, before the plots."""

    @model_validator(mode="after")
    def _ratios_or_figures(self) -> Table:
        if len({line.over is None for line in self.lines}) > 1:
            raise ValueError("every line has `over`, or none has: quotients and figures do not share a table")
        return self


FITTED_BY = ("implementation", "isa")
"""Columns in which the two sides of a fit may differ."""


class Fits(ManifestModel):
    """What a call costs, as a fixed part and one for each byte; and from which size ``subject`` is below
    ``baseline``. Rows of several algorithms, operations, compilers, levels or engines have lines apart."""

    title: str
    caption: str | None = None
    metric: Literal["seconds", "instructions"] = "seconds"
    where: Selector = Selector()
    baseline: Selector
    subject: Selector

    @model_validator(mode="after")
    def _comparable(self) -> Fits:
        first, second = self.baseline.columns(), self.subject.columns()
        for name in first | second:
            if name not in FITTED_BY and first.get(name) != second.get(name):
                raise ValueError(
                    f"`baseline` and `subject` differ in `{name}`: their lines would not be of the same thing; "
                    f"put it into `where`, they may differ in {' and '.join(f'`{each}`' for each in FITTED_BY)}"
                )
        return self


class ListingColumn(ManifestModel):
    isa: str
    compiler: str
    opt: Opt


class Listing(ManifestModel):
    """One function's disassembly as compiled for several targets, side by side."""

    title: str
    note: str | None = None
    implementation: str
    symbol: str
    columns: tuple[ListingColumn, ...] = Field(min_length=1)


class Study(ManifestModel):
    id: Slug
    title: str
    question: str
    answer: str | None = None
    """A sentence or two shown before the generated answer; never figures."""
    background: tuple[str, ...] = ()
    """Paragraphs on where the question comes from."""
    notes: tuple[str, ...] = ()
    defaults: Axes = Axes()
    matrix: tuple[Axes, ...] = Field(min_length=1)
    sampling: Sampling = Sampling()
    controls: Controls = Controls()
    headline: Headline = Headline()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    fits: tuple[Fits, ...] = ()
    listings: tuple[Listing, ...] = ()
    claims: Claims = Claims()

    def full(self) -> Study:
        """With every block's ``full_totals`` in the place of its totals."""
        return self.model_copy(update={"defaults": _full(self.defaults), "matrix": tuple(map(_full, self.matrix))})

    def blocks(self) -> tuple[Axes, ...]:
        """The matrix blocks with the defaults filled in."""
        given = {name: value for name, value in self.defaults if value not in ((), None)}
        return tuple(
            Axes(**(given | {name: value for name, value in block if value not in ((), None)})) for block in self.matrix
        )

    def optional_compilers(self) -> frozenset[str]:
        """Those that no block insists on, so that a run may be without them."""
        choices = [choice for block in self.blocks() for choice in block.compilers]
        certain = {choice.name for choice in choices if not choice.when_present}
        return frozenset(choice.name for choice in choices) - certain

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        for number, block in enumerate(self.blocks(), 1):
            for name in ("implementations", "compilers", "algorithms", "operations"):
                if not getattr(block, name):
                    raise ValueError(f"matrix block {number} has no `{name}`, and [defaults] gives none")
            _check_extrapolation(number, block)
        ids = [claim.id for claim in self.claims.all()]
        twice = next((claim for claim in ids if ids.count(claim) > 1), None)
        if twice is not None:
            raise ValueError(f"two claims have the id `{twice}`")
        return self


def _full(axes: Axes) -> Axes:
    return axes.model_copy(update={"totals": axes.full_totals}) if axes.full_totals else axes


def _check_extrapolation(number: int, block: Axes) -> None:
    limit = block.measure_up_to
    if limit is None or not block.sizes or max(block.sizes) <= limit:
        return
    measured = sum(size <= limit for size in block.sizes)
    if measured < 3:
        raise ValueError(
            f"matrix block {number} extrapolates beyond {format_size(limit)} from {measured} measured size(s); "
            "three are needed, two for the line and one to check it"
        )
