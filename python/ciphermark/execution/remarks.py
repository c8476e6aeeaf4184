"""What a user should know of figures of time: the state of the machine, what was not granted, what to try."""

from collections.abc import Iterable

from ciphermark import engines
from ciphermark.analysis.timing import OWN_SHARE, own_share
from ciphermark.execution.tasks import Outcome
from ciphermark.host import conditions
from ciphermark.host.statistics import in_percent
from ciphermark.rows.model import Row
from ciphermark.store import paths

DISTURBED = 0.1
"""Share of the wall time that others may hold the processor before it is said."""


def of_times(rows: Iterable[Row]) -> list[str]:
    """A sentence for each thing that makes the times of ``rows``, just measured here, worse than they could be."""
    timed = [row for row in rows if row.raw is not None]
    if not timed:
        return []
    now = conditions.read(timed[0].cpu or 0)
    found = [f"warning: {warned.what}; remedy: {warned.remedy}" for warned in now.warnings()]
    waited = max(map(_share_waited, timed))
    if waited > DISTURBED:
        found.append(
            f"warning: other processes held the processor for up to {waited:.0%} of a measurement's wall time; "
            "`seconds` leaves that out, `wall_s` has it"
        )
    own = max(map(own_share, timed))
    if own >= OWN_SHARE:
        found.append(
            f"warning: up to {own:.0%} of a call's time is the harness's loop, as calls of an empty function show; "
            "remedy: measure longer messages, or compare instructions"
        )
    if all(row.cycles is None for row in timed):
        found.append(f"note: {conditions.counters_denied(timed[0].refused, now)}")
    return found


def of_unkept(outcomes: Iterable[Outcome]) -> list[str]:
    """Remarks that measured points could not be kept and will be measured again, and why."""
    reasons = [outcome.unkept for outcome in outcomes if outcome.unkept is not None]
    if not reasons:
        return []
    return [
        f"warning: finished points cannot be kept, so the next run measures them again: {reasons[0]}; remedy: set "
        f"{paths.CACHE_VARIABLE} to a folder that you may write to"
    ]


def of_machine(rows: Iterable[Row], outcomes: Iterable[Outcome]) -> list[str]:
    """How the machine was whose times ``rows`` have: its state and load when their run began, and what others took."""
    timed = [row for row in rows if row.raw is not None]
    if not timed:
        return []
    names = {row.engine for row in timed}
    versions = dict.fromkeys(
        point.engine_version
        for outcome in outcomes
        for point in outcome.points.values()
        if point.measured.timing is not None
    )
    said = [f"Times by {' and '.join(sorted(names))}: {version}." for version in versions]
    waited = max(map(_share_waited, timed))
    sure = [row.seconds_confidence for row in timed if row.seconds_confidence is not None]
    if sure:
        said.append(f"Intervals are for medians over processes, at a confidence of {in_percent(min(sure))}.")
    return [
        *said,
        f"Other processes held the processor for at most {max(waited, 0):.0%} of a measurement's wall time, which its "
        "time leaves out.",
    ]


def of_engines(rows: Iterable[Row]) -> list[str]:
    """What the engines say of the figures they gave."""
    names = dict.fromkeys(row.engine for row in rows if row.verified)
    return [f"warning: {said}" for name in names for said in engines.find(name).remarks()]


def of_absence(optional: Iterable[str]) -> list[str]:
    """A sentence for each of a study's ``optional`` engines that it must do without."""
    problems = {name: engines.find(name).problem() for name in sorted(optional)}
    return [f"note: engine {name} was left out: {problem}" for name, problem in problems.items() if problem is not None]


def _share_waited(row: Row) -> float:
    if row.raw is None or not row.wall_s:
        return 0.0
    every = [sample for samples in row.raw for sample in samples]
    return 1 - sum(every) / len(every) / row.wall_s
