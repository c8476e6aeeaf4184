"""Columns of a row that come from samples of time, and what is said of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

from ciphermark.host import bounds
from ciphermark.host.statistics import process_medians, summarize
from ciphermark.rows.model import Row, Timing
from ciphermark.store.points import StoredPoint

_SAME = ("clock_hz", "wall_s", "user_s", "sys_s", "max_rss_kib", "refused")
"""Columns that are as they were measured."""

Span = tuple[float, float]
"""A least and a greatest figure."""


def with_timing(row: Row, stored: StoredPoint, timing: Timing, message_bytes: int | None) -> Row:
    """``row`` with the figures of ``timing``; a sample processed ``message_bytes``, ``None`` for a key."""
    summary = summarize(timing.seconds)
    notes = [row.note, _bound(row, timing, message_bytes)]
    cycles = timing.cycles
    found = replace(
        row,
        seconds=summary.median,
        seconds_q1=summary.q1,
        seconds_q3=summary.q3,
        seconds_mad=summary.mad,
        seconds_low=summary.interval.low if summary.interval else None,
        seconds_high=summary.interval.high if summary.interval else None,
        seconds_confidence=summary.interval.confidence if summary.interval else None,
        bytes_per_second=message_bytes / summary.median if message_bytes else None,
        cycles_per_byte=cycles / message_bytes if cycles is not None and message_bytes else None,
        **{name: getattr(timing, name) for name in _SAME},
        samples=summary.samples,
        note="; ".join(note for note in notes if note) or None,
        raw=timing.seconds,
        raw_cpu=timing.cpu_s,
        call_s=timing.empty_s,
        run=stored.run,
    )
    own = own_share(found)
    if own < OWN_SHARE or timing.empty_s is None:
        return found
    said = f"a call of an empty function takes {timing.empty_s * 1e9:.2g} ns, {own:.0%} of this"
    return replace(found, note=f"{found.note}; {said}" if found.note else said)


def spread(row: Row, metric: str) -> Span | None:
    """The interval of a row's median; for processor time, from the least process to the greatest; ``None`` without
    samples."""
    low, high = row.seconds_low, row.seconds_high
    message = row.total_bytes or row.size
    match metric:
        case "seconds" if low is not None and high is not None:
            return low, high
        case "bytes_per_second" if low and high:
            return message / high, message / low
        case "cpu_s" if row.raw_cpu:
            means = [sum(samples) / len(samples) for samples in row.raw_cpu]
            return min(means), max(means)
    return None


def own_share(row: Row) -> float:
    """Share of a call's time that the harness's loop takes around an empty function; 0 if that was not measured."""
    if row.call_s is None or not row.seconds:
        return 0.0
    return row.call_s / (row.seconds * row.size / row.total_bytes if row.total_bytes else row.seconds)


OWN_SHARE = 0.1
"""Share of a call's time that the harness's loop may take before the row reports it."""


@dataclass(frozen=True, slots=True)
class RateBound:
    """The rate that no code can exceed on this machine, at the clock of a run."""

    algorithm: str
    operation: str
    bytes_per_second: float
    words: str


def bounds_of(rows: Iterable[Row]) -> list[RateBound]:
    """The bound of each algorithm and operation, where one is known: at the median clock of its rows."""
    clocks: dict[tuple[str, str, int | None], list[float]] = {}
    for row in rows:
        if row.seconds is not None and row.clock_hz is not None:
            clocks.setdefault((row.algorithm, row.operation, row.cpu), []).append(row.clock_hz)
    found = []
    for (algorithm, operation, cpu), measured in clocks.items():
        bound = bounds.cbc_encrypt(algorithm, operation, median(measured), bounds.latency_of(cpu))
        if bound is not None:
            found.append(RateBound(algorithm, operation, bound.bytes_per_second, bounds.in_words(bound)))
    return found


def counters(timing: Timing) -> str:
    """For provenance: what counted cycles and instructions, and where the clock is from."""
    if timing.cycles is None:
        counted = "no cycle counter granted" + (f" ({timing.refused})" if timing.refused else "")
    elif timing.kernel_counted:
        counted = "cycles and instructions by perf_event_open, the kernel's included"
    else:
        counted = "cycles and instructions by perf_event_open, of user mode alone"
    clock = ", clock_hz by dependent additions" if timing.clock_hz is not None else ""
    waits = " minus waiting for the processor" if timing.waits_known else ""
    empty = f" ({timing.empty_s * 1e9:.2g} ns each if empty, contained in times and cycles)" if timing.empty_s else ""
    return f"time by CLOCK_MONOTONIC{waits}, {timing.calls} calls a sample{empty}, {counted}{clock}"


def _bound(row: Row, timing: Timing, message_bytes: int | None) -> str | None:
    """The bound, and what the row has of it: by each process's own clock, since the clock moves."""
    bound = bounds.cbc_encrypt(row.algorithm, row.operation, timing.clock_hz, bounds.latency_of(row.cpu))
    if bound is None or not message_bytes or not timing.clocks_hz:
        return None
    shares = [
        bounds.share(bound, seconds, message_bytes) * timing.clock_hz / clock
        for seconds, clock in zip(process_medians(timing.seconds), timing.clocks_hz, strict=True)
        if timing.clock_hz
    ]
    share = median(shares)
    return f"{bounds.in_words(bound)}; this is {share:.1%} of it"
