"""The study file: a matrix of points, controls, figures, listings and claims. Every table refuses unknown keys."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ciphermark.claims.claim import Citation
from ciphermark.claims.kinds import Claims
from ciphermark.errors import UsageError, nearest
from ciphermark.kernels import programs
from ciphermark.notation.manifest import ManifestModel
from ciphermark.notation.numbers import counted
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import State
from ciphermark.rows.selection import Names, Numbers, Selector, Size, Sizes, Vlens
from ciphermark.rtl import variants
from ciphermark.rtl.machines import machine
from ciphermark.study.headline import Headline
from ciphermark.study.shown import Fits, Listing, Plot, Table
from ciphermark.toolchain.compiler import Opt, check_flags

Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]


class CompilerChoice(ManifestModel):
    """A compiler, by its name in ``ciphermark doctor``, and the optimisation levels to build at."""

    name: str
    opts: tuple[Opt, ...] = Field(min_length=1)
    """Optimisation levels; each is built."""
    flags: tuple[str, ...] = ()
    """Sets of further flags, such as `["", "-funroll-loops"]`; each is built at every level, and is part of `opt` in
    the rows: `O2 -funroll-loops`."""
    when_present: bool = False
    """Skip and list its points if the compiler is not installed, instead of refusing to run."""

    @field_validator("flags")
    @classmethod
    def _only_of_code(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(" ".join(check_flags(flags.split())) for flags in value)

    def levels(self) -> tuple[str, ...]:
        """Each level with each set of flags."""
        return tuple(f"{opt} {flags}".strip() for opt in self.opts for flags in self.flags or ("",))


class Axes(ManifestModel):
    """The axes of a matrix block. ``[defaults]`` sets them for all blocks, and a block overrides them."""

    implementations: tuple[str, ...] = ()
    """Names, or folders of your own code; every block needs some."""
    isas: tuple[str, ...] = ()
    """If empty, each implementation's default for every XLEN that it supports."""
    compilers: tuple[CompilerChoice, ...] = ()
    """Compilers and their levels; every block needs some."""
    algorithms: tuple[str, ...] = ()
    """Names from `ciphermark list algorithms`; every block needs some."""
    operations: tuple[str, ...] = ()
    """Operations of these algorithms; every block needs some."""
    sizes: Sizes = ()
    """Message sizes in bytes. Not used by operations of fixed size (a block, a key)."""
    totals: Sizes = ()
    """Whole messages, processed in chained calls of every size in ``sizes``; only for engines that run native code."""
    measure_up_to: Size | None = None
    """Larger sizes are extrapolated by an exact linear law, and their rows say so."""
    full_totals: Sizes = ()
    """What `--full` uses instead of `totals`: the source's sizes, if they take too long for a first look."""
    engine: str | None = None
    """The engine that measures the block, a name from `ciphermark list engines`; if absent, `sim`."""
    when_present: bool | None = None
    """Skip and list its points if the engine cannot be used, instead of refusing to run."""
    vlen: Vlens = ()
    """Bits of a vector register, for implementations that need vectors; if empty, the ISA string's, else 128."""
    machines: Names = ()
    """The machines to run on: names from `ciphermark list machines`, or files of your own; if empty, an RTL engine's
    first, and none under `sim`, which then only counts instructions."""
    memory_latency: Numbers = ()
    """Cycles until a machine's memory responds, unless it is built from parts; if empty, as in each machine's file."""
    states: tuple[State, ...] = ()
    """On machines: `cold`, the first call after reset, or `warm`, the last of several; if empty, both."""
    sample: int | None = Field(default=None, ge=1)
    """Measure only this many of the block's combinations, chosen at random but the same ones everywhere; each on all
    engines."""
    seed: int | None = Field(default=None, ge=0)
    """Seed of the choice; if absent, 1."""


Varied = Annotated[tuple[variants.Value, ...], BeforeValidator(variants.values)]
"""Values of a machine's key."""


class Programs(ManifestModel):
    """Whole programs, run as processes on machines; a point is one program on one file. They are built with zig and
    musl."""

    programs: Names = Field(min_length=1)
    """Names from `programs/`; `ciphermark list programs` shows them."""
    implementations: Names = ()
    """Implementations against which programs with a cipher are linked, one at a time."""
    bits: Numbers = ()
    """Key lengths; if empty, all."""
    modes: Names = ()
    """Modes such as `cbc` or `cbc+ctr`; if empty, all that a program has. A program skips modes that it lacks."""
    files: Sizes = Field(min_length=1)
    """Sizes in bytes of the program's input file."""
    full_files: Sizes = ()
    """What `--full` uses instead of `files`."""
    machines: Names = Field(min_length=1)
    """Machines to run the programs on: names from `ciphermark list machines`, or files of your own."""
    vary: dict[str, Varied] = Field(default_factory=dict)
    """Run on variants of each machine instead: a key of its file, such as `memory.parts.l1d.size`, or
    `memory.parts.*.line` for every part that has it, with a list of values, or a range of sizes, `"4K..64K"`. Several
    keys are combined in every way."""
    opts: tuple[Opt, ...] = ("O2",)
    """Optimisation levels; if absent, `O2`."""
    engine: str | None = None
    """The engine that runs the programs, `sim` or `gem5`; if absent, `sim`."""
    when_present: bool = False
    """Skip and list its points if the engine cannot be used, instead of refusing to run."""

    @field_validator("programs")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in (known := programs.names(measured=True)):
                raise ValueError(f"there is no program {name!r} that can be measured. {nearest(name, known)}")
        return value

    @field_validator("bits")
    @classmethod
    def _of_a_key(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        for bits in value:
            if bits not in (known := programs.lengths()):
                raise ValueError(f"no key has {bits} bits; there are {', '.join(map(str, known))}")
        return value

    @field_validator("machines")
    @classmethod
    def _described(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            try:
                machine(name)
            except UsageError as error:
                raise ValueError(str(error)) from error
        return value

    def variants(self) -> tuple[str, ...]:
        """The machines, or each variant of them."""
        settings = [dict(zip(self.vary, values, strict=True)) for values in product(*self.vary.values())]
        return tuple(variants.named(name, each) for name in self.machines for each in settings)

    @model_validator(mode="after")
    def _variants_have_what_they_vary(self) -> Programs:
        try:
            for name in self.variants() if self.vary else ():
                machine(name).modelled()
        except UsageError as error:
            raise ValueError(str(error)) from error
        return self

    @model_validator(mode="after")
    def _has_what_its_programs_need(self) -> Programs:
        ciphers = [name for name in self.programs if programs.find(name).family is not None]
        if ciphers and not self.implementations:
            raise ValueError(f"{ciphers[0]} needs `implementations`")
        known = {mode for name in self.programs for mode in programs.find(name).modes}
        for mode in self.modes:
            if mode not in known:
                raise ValueError(f"none of these programs has the mode {mode!r}. {nearest(mode, known)}")
        return self


class Sampling(ManifestModel):
    """How much to sample, on engines that measure time. Missing keys have the engine's default."""

    processes: int | None = Field(default=None, ge=3)
    """Fresh processes for each point."""
    samples: int | None = Field(default=None, ge=3)
    """Samples in each process."""
    budget_ms: int | None = Field(default=None, ge=1)
    """After this time, a process that has at least three samples takes no more."""


class RepeatControl(ManifestModel):
    """Run the same binary again without the cache: every count must be the same. Engine `vm` repeats all binaries, in a
    second boot."""

    id: str = Field(min_length=1)
    sample: int = Field(default=4, ge=1)
    """Number of binaries, spread evenly over the study."""


class TrapControl(ManifestModel):
    """Run a binary that uses an extension on a core without it: the result must be an illegal instruction."""

    id: str = Field(min_length=1)
    implementation: str
    algorithm: str
    operation: str
    size: Size
    isa: str
    """The ISA that the binary is compiled for."""
    run_on: str
    """The ISA of the core that it runs on."""
    provider: str
    """The extension that the fault must name."""
    compiler: str
    opt: Opt


class TimedControl(ManifestModel):
    """On engines that measure time: compare a binary with itself, which must show no difference, and with itself on
    twice the bytes, which must show one."""

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


class Secrets(ManifestModel):
    """Test for constant time: follow the secrets of each selected row's call, and compare runs with other secrets."""

    where: Selector = Selector()
    """The rows to test; default: all of `sim` without a machine."""
    pairs: int = Field(default=2, ge=1, le=64)
    """Pairs of runs with other secrets whose executed instructions and addresses are compared."""
    cache_line: int = Field(default=1, ge=1, le=4096)
    """Bytes of a line, a power of two up to 4096: an attacker sees only which line an address is in."""

    @field_validator("cache_line")
    @classmethod
    def _is_a_power_of_two(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError("a cache line has a power of two of bytes")
        return value


class Study(ManifestModel):
    id: Slug
    """The study's name, which is also the name of its file and of its results folder."""
    title: str
    """The report's title, and its heading if `[headline]` has no `question`."""
    question: str
    """What the study asks, in a sentence or two."""
    answer: str | None = None
    """A sentence or two before the generated answer; write no figures here."""
    background: tuple[str, ...] = ()
    """Paragraphs on the origin of the question."""
    notes: tuple[str, ...] = ()
    """Paragraphs on how to read the results, shown under "About this study"; write no measured figures here."""
    defaults: Axes = Axes()
    """Axes that all matrix blocks share."""
    matrix: tuple[Axes, ...] = ()
    """Blocks of points to measure: all combinations of a block's axes."""
    programs: tuple[Programs, ...] = ()
    """Whole programs to run, with or without a matrix."""
    area: bool = False
    """Count the gates of the instructions that each implementation's manifest names, if Yosys is installed."""
    secrets: Secrets | None = None
    """Test rows for constant time."""
    sampling: Sampling = Sampling()
    """How much to sample, on engines that measure time."""
    controls: Controls = Controls()
    """Experiments whose outcome is known beforehand."""
    headline: Headline = Headline()
    """The report's first screen, and its main table."""
    tables: tuple[Table, ...] = ()
    """Tables in addition to the main one; the report shows them before it."""
    plots: tuple[Plot, ...] = ()
    """Figures of the report."""
    fits: tuple[Fits, ...] = ()
    """Costs per call and per byte, and break-even sizes."""
    listings: tuple[Listing, ...] = ()
    """Disassembly to show side by side."""
    sources: dict[Slug, Citation] = Field(default_factory=dict)
    """Citations that claims refer to by `source`, so that each is written once."""
    claims: Claims = Claims()
    """Published figures to judge, by kind."""

    @model_validator(mode="before")
    @classmethod
    def _cite_sources(cls, data: Any) -> Any:
        """Each claim with the citation that its `source` stands for."""
        if not isinstance(data, dict) or not isinstance(data.get("claims"), dict):
            return data
        cited = {
            kind: [_cited(claim, data.get("sources", {})) for claim in claims] if isinstance(claims, list) else claims
            for kind, claims in data["claims"].items()
        }
        return {**data, "claims": cited}

    def full(self) -> Study:
        """The study with each block's ``full_totals`` instead of its totals, ``full_files`` instead of its files."""
        programs = tuple(
            block.model_copy(update={"files": block.full_files}) if block.full_files else block
            for block in self.programs
        )
        changed = {"defaults": _full(self.defaults), "matrix": tuple(map(_full, self.matrix)), "programs": programs}
        return self.model_copy(update=changed)

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

    def optional_engines(self) -> frozenset[str]:
        """Those that no block insists on."""
        asked = [(block.engine, block.when_present) for block in self.blocks()]
        asked += [(block.engine, block.when_present) for block in self.programs]
        return frozenset(engine for engine, when_present in asked if when_present and engine is not None)

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        if not self.matrix and not self.programs:
            raise ValueError("nothing is measured: a study has `[[matrix]]`, `[[programs]]`, or both")
        for number, block in enumerate(self.blocks(), 1):
            for name in ("implementations", "compilers", "algorithms", "operations"):
                if not getattr(block, name):
                    raise ValueError(f"matrix block {number} has no `{name}`, and [defaults] gives none")
            _check_extrapolation(number, block)
            if block.sample is not None and block.measure_up_to is not None:
                raise ValueError(f"matrix block {number} has both `sample` and `measure_up_to`: leave one out")
        self._check_headline()
        return self

    def _check_headline(self) -> None:
        """Check that the headline is about what is measured: nobody would miss rows that cannot exist."""
        for column, measured in (
            ("implementation", self._named("implementations") | {"none"}),
            ("machine", self._named("machines")),
        ):
            for selector in self.headline.selectors():
                for name in selector.columns().get(column, ()):
                    if name not in measured:
                        raise ValueError(
                            f"headline: no row has the {column} {name!r}. {nearest(str(name), sorted(measured))}"
                        )

    def _named(self, axis: str) -> set[str]:
        return {name for block in (*self.blocks(), *self.programs) for name in getattr(block, axis, ())}


def _cited(claim: Any, sources: Any) -> Any:
    name = claim.get("source") if isinstance(claim, dict) else None
    if not isinstance(name, str) or not isinstance(sources, dict):
        return claim
    if "citation" in claim:
        raise ValueError(f"claim `{claim.get('id')}` has both `citation` and `source`: give one of them")
    source = sources.get(name)
    if not isinstance(source, dict):
        known = nearest(name, map(str, sources))
        raise ValueError(f"claim `{claim.get('id')}` names the source `{name}`, which [sources] does not have. {known}")
    place = "; ".join(str(part) for part in (source.get("place"), claim.get("source_note")) if part)
    return {**claim, "citation": {**source, "place": place}}


def _full(axes: Axes) -> Axes:
    return axes.model_copy(update={"totals": axes.full_totals}) if axes.full_totals else axes


def _check_extrapolation(number: int, block: Axes) -> None:
    limit = block.measure_up_to
    if limit is None or not block.sizes or max(block.sizes) <= limit:
        return
    measured = sum(size <= limit for size in block.sizes)
    if measured < 3:
        raise ValueError(
            f"matrix block {number} extrapolates beyond {format_size(limit)} from "
            f"{counted(measured, 'measured size')}; three are needed, two for the line and one to check it"
        )
