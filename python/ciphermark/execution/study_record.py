"""``study.json``: what was asked, what came of it besides rows and claims, and how the report shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ciphermark.analysis import disassembly, timing
from ciphermark.analysis.comparison import at_largest, compare_rows
from ciphermark.analysis.disassembly import Disassembly
from ciphermark.analysis.fits import Fitted, fit
from ciphermark.analysis.pivot import Pivot
from ciphermark.analysis.timing import RateBound
from ciphermark.execution.hot_loops import HotLoop, hot_loops
from ciphermark.execution.results import ControlResult
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Row
from ciphermark.rows.secrets import Tested
from ciphermark.rtl import machines, variants
from ciphermark.rtl.machines import Machine
from ciphermark.study.expand import Skipped
from ciphermark.study.headline import Headline
from ciphermark.study.schema import Study
from ciphermark.study.shown import Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """Written by a run and read by the report as it is."""

    id: str
    title: str = ""
    question: str = ""
    answer: str | None = None
    background: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    headline: Headline = field(default_factory=Headline)
    tables: tuple[Pivot, ...] = ()
    plots: tuple[Plot, ...] = ()
    fits: tuple[Fitted, ...] = ()
    bounds: tuple[RateBound, ...] = ()
    comparisons: tuple[str, ...] = ()
    """For neighbours in speed, which is faster, or that the run cannot tell."""
    disassembly: tuple[Disassembly, ...] = ()
    hot_loops: tuple[HotLoop, ...] = ()
    """Where modelled cycles go."""
    secrets: tuple[Tested, ...] = ()
    """Tests for constant time, in the order of the rows."""
    controls: tuple[ControlResult, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    own_instructions: tuple[str, ...] = ()
    """Implementations with instructions of a description, which no ISA string names."""
    machine: tuple[str, ...] = ()
    memories: tuple[Machine, ...] = ()
    """Machines of rows whose memory is one of parts; of variants, what they are of."""


_AS_ASKED = ("id", "title", "question", "answer", "background", "notes", "headline", "plots")


def record(
    study: Study,
    rows: Sequence[Row],
    tables: tuple[Pivot, ...],
    skipped: tuple[Skipped, ...],
    controls: tuple[ControlResult, ...],
    machine: Sequence[str],
    secrets: tuple[Tested, ...] = (),
) -> StudyRecord:
    names = {name for block in study.blocks() for name in block.implementations}
    return StudyRecord(
        **{name: getattr(study, name) for name in _AS_ASKED},
        tables=tables,
        fits=tuple(fitted for fits in study.fits for fitted in fit(fits, rows)),
        bounds=tuple(timing.bounds_of(rows)),
        comparisons=tuple(f"{each.work}: {each.in_words()}" for each in at_largest(compare_rows(rows))),
        disassembly=tuple(map(disassembly.disassemble, study.listings)),
        hot_loops=hot_loops(rows, study.headline),
        controls=controls,
        skipped=skipped,
        own_instructions=tuple(sorted(name for name in names if catalogue.load_implementation(name).descriptions)),
        machine=tuple(machine),
        secrets=secrets,
        memories=_memories(rows),
    )


def _memories(rows: Sequence[Row]) -> tuple[Machine, ...]:
    names = dict.fromkeys(variants.parsed(row.machine)[0] for row in rows if row.memory is not None and row.machine)
    return tuple(machines.machine(name) for name in names)
