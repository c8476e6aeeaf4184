"""The answer in a paragraph of facts of the rows; for native code also what a machine lacks, and what bounds it."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from ciphermark import engines
from ciphermark.claims.finding import ClaimVerdict
from ciphermark.claims.judge import Judgement
from ciphermark.execution.study_record import StudyRecord
from ciphermark.notation.numbers import span
from ciphermark.report import numbers, selection
from ciphermark.report.effects import Effect, Effects
from ciphermark.rows.model import Row

_VERDICTS = get_args(ClaimVerdict)


def paragraphs(
    rows: Sequence[Row], claims: Sequence[Judgement], effects: Effects | None, cycles: Sequence[str] = ()
) -> list[str]:
    """The answer's paragraphs, in reading order; `` `code` `` marks names. ``cycles`` follow those on instructions."""
    said = []
    rest = []
    if effects is not None:
        for width, found in effects.xlens:
            said.append(" ".join(_width(f"RV{width}" if width else "these cores", found, effects.words)))
        if effects.own is not None:
            own = effects.own
            said.append(
                f"With instructions of its own, `{own.best.implementation}` needs the fewest of all ({effects.words}): "
                f"{numbers.factor(own.factor)} times fewer than the best on plain `{own.baseline}`."
            )
        if effects.spread is not None:
            spread, implementation, isa = effects.spread
            rest.append(
                f"Compiler and optimisation level alone move the same source on the same ISA by up to "
                f"{numbers.factor(spread)} times (`{implementation}` on `{isa}`)."
            )
    said += cycles
    if claims:
        rest.append(_tally(claims))
    said += [" ".join(rest), _scope(rows)]
    return [text for text in said if text]


def _width(name: str, effects: Sequence[Effect], words: str) -> list[str]:
    said = []
    recompiled = [effect for effect in effects if effect.changes]
    if recompiled:
        every = [change for effect in recompiled for change in effect.changes]
        isas = listed([f"`{effect.isa}`" for effect in recompiled], "or")
        said.append(
            f"On {name}, recompiling the same source for {isas} changes its executed instructions by "
            f"{change_range(every)} ({words})."
        )
    best = max(effects, key=lambda effect: effect.factor, default=None)
    if best is not None and best.factor > 1:
        what = "The fewest" if recompiled else f"The fewest executed instructions ({words})"
        said.append(
            f"{what} are those of `{best.best.implementation}` on `{best.isa}`, "
            f"{numbers.factor(best.factor)} times fewer than the best on plain `{best.baseline}`."
        )
    return said


def change_range(changes: Sequence[float]) -> str:
    return span(numbers.percent(min(changes)), numbers.percent(max(changes)))


def _tally(claims: Sequence[Judgement]) -> str:
    """The sources' claims, and apart from them our own, which are not findings about a source."""
    published = [claim for claim in claims if not claim.ours]
    own = [claim for claim in claims if claim.ours]
    said = []
    if published:
        said.append(f"Of {_counted(published, 'published claim')}, {_verdicts(published)}.")
    if own:
        said.append(f"Of {_counted(own, 'claim')} of our own, against published figures, {_verdicts(own)}.")
    return " ".join(said)


def _counted(things: Sequence[object], noun: str) -> str:
    return f"{numbers.number(len(things))} {noun if len(things) == 1 else f'{noun}s'}"


def _verdicts(claims: Sequence[Judgement]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    return listed(
        [f"{counts[word]} {'is' if counts[word] == 1 else 'are'} {word}" for word in _VERDICTS if counts[word]]
    )


def _scope(rows: Sequence[Row]) -> str:
    measured = [row for row in rows if row.verified]
    wrong = Counter(row.verdict for row in rows if not row.verified)
    kinds = [f"{numbers.number(number)} {verdict}" for verdict, number in sorted(wrong.items())]
    others = listed(kinds) if kinds else ""
    if not measured:
        return f"Nothing was measured: {others}." if wrong else "Nothing was measured."
    builds = {(row.implementation, row.isa, row.abi, row.compiler, row.opt) for row in measured}
    extrapolated = sum(row.extrapolated for row in measured)
    names = selection.values(measured, "implementation")
    said = (
        f"These are {_counted(measured, 'point')}: {_counted(names, 'implementation')} in "
        f"{_counted(list(builds), 'build')}, measured by "
        f"{listed([f'`{name}`' for name in selection.values(measured, 'engine')])}"
        + (f" ({numbers.number(extrapolated)} large ones by an exact law, checked)" if extrapolated else "")
        + ". Every one passed its known answers first, on that engine and in that build."
    )
    return f"{said} Points without figures: {others}." if wrong else said


def listed(items: Sequence[str], joint: str = "and") -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {joint} {items[-1]}"


def simulated(rows: Sequence[Row]) -> list[Row]:
    """Rows of RISC-V code: what is said by ISA string is about them alone."""
    return [row for row in rows if not engines.is_native(row.engine)]


def absences(study: StudyRecord, rows: Sequence[Row]) -> list[str]:
    """A sentence for each reason why native code, or a core in RTL, was not measured: of rows, then of an engine that
    was left out."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.verdict == "unsupported" and (engines.is_native(row.engine) or row.machine is not None):
            found.setdefault((row.engine, row.note or "no reason given"), {})[row.implementation] = None
    said = [
        f"Not measured by `{engine}`: {', '.join(f'`{name}`' for name in names)}: {_sentence(note)}"
        for (engine, note), names in found.items()
    ]
    missing = {item.reason: None for item in study.skipped if item.absent == "engine"}
    return [*said, *(f"Left out: {_sentence(reason)}" for reason in missing)]


def bounds(study: StudyRecord) -> list[str]:
    return [
        f"Upper bound on this machine, {bound.algorithm} {bound.operation}: {_sentence(bound.words)}"
        for bound in study.bounds
    ]


def _sentence(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if one_line.endswith(".") else f"{one_line}."
