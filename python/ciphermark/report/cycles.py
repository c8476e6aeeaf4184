"""The answer in cycles, of cores that have them: what an ISA or an instruction of one's own changes there."""

from collections.abc import Iterator, Sequence

from ciphermark.report import numbers, palette, selection
from ciphermark.report.answer import change_range, listed
from ciphermark.report.headline import baseline_of
from ciphermark.rows.metrics import KEY_COLUMNS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped
from ciphermark.rtl.machines import core as core_of
from ciphermark.study.headline import Headline

_WORK = ("algorithm", "operation", "size")
_FIXED = tuple(name for name in KEY_COLUMNS if name != "isa")


def sentences(rows: Sequence[Row], headline: Headline, own: Sequence[str] = ()) -> list[str]:
    """Sentences on warm calls on machines, one for each engine, core, ISA and work. Implementations of ``own`` have
    instructions that no ISA string names."""
    warm = [row for row in rows if row.verified and row.state == "warm" and row.cycles]
    said: list[str] = []
    for (_, algorithm, operation, size), alike in grouped(warm, "engine", *_WORK).items():
        work = f"{algorithm} {operation}, {numbers.size(size)}"
        recompiled = [row for row in alike if row.implementation not in own]
        cores = {row.machine: core_of(row.machine or "") for row in recompiled}
        for core in dict.fromkeys(cores.values()):
            said += _recompiled([row for row in recompiled if cores[row.machine] == core], headline, work)
        said += _own(alike, own, work)
    return said


def _recompiled(rows: Sequence[Row], headline: Headline, work: str) -> Iterator[str]:
    for width in selection.widths(rows):
        inside = [row for row in rows if palette.xlen(row.isa) == width]
        isas = selection.values(inside, "isa")
        baseline = baseline_of(isas, width, headline)
        bases = {key: found[0] for key, found in grouped([r for r in inside if r.isa == baseline], *_FIXED).items()}
        for isa in isas:
            pairs = [
                (bases[key], found[0])
                for key, found in grouped([row for row in inside if row.isa == isa], *_FIXED).items()
                if isa != baseline and key in bases
            ]
            if pairs:
                machines = listed([f"`{name}`" for name in selection.values([row for _, row in pairs], "machine")])
                changes = listed(list(_changes(pairs)))
                yield (
                    f"In cycles, on {machines} ({work}, warm), `{isa}` instead of `{baseline}` changes {changes}; in "
                    "brackets, its executed instructions."
                )


def _changes(pairs: Sequence[tuple[Row, Row]]) -> Iterator[str]:
    for name in selection.values([row for _, row in pairs], "implementation"):
        of_it = [(base, row) for base, row in pairs if row.implementation == name]
        cycles = [(row.cycles or 0) / (base.cycles or 1) - 1 for base, row in of_it]
        counts = [(row.instructions or 0) / (base.instructions or 1) - 1 for base, row in of_it]
        yield f"`{name}` by {change_range(cycles)} ({change_range(counts)})"


def _own(rows: Sequence[Row], own: Sequence[str], work: str) -> Iterator[str]:
    plain = min((row for row in rows if row.implementation not in own), key=_cycles, default=None)
    described = grouped((row for row in rows if row.implementation in own), "machine")
    if plain is None or not described:
        return
    best = [min(of_machine, key=_cycles) for of_machine in described.values()]
    found = [
        f"{numbers.factor(_cycles(row) / _cycles(plain))} times as many on `{row.machine}` (`{row.implementation}`)"
        for row in best
    ]
    yield (
        f"In cycles ({work}, warm), the best code with instructions of its own takes {listed(found)} as the best "
        f"without, `{plain.implementation}` on `{plain.machine}`."
    )


def _cycles(row: Row) -> int:
    return row.cycles or 1
