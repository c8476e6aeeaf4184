"""What a processor's AES instructions allow at best, from their latency. CBC encryption is a chain: a block's first
round needs the block before, so a block takes its rounds' latencies one after the other. The exclusive or with that
block is free: it can be part of the last round's key. No code beats that many cycles at the measured clock."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from ciphermark.host import cpu
from ciphermark.host.statistics import process_medians
from ciphermark.rows.model import Timing

_BLOCK_BYTES = 16
_ROUNDS = {128: 10, 192: 12, 256: 14}
_CBC = re.compile(r"aes-(128|192|256)-cbc")


@dataclass(frozen=True, slots=True)
class AesLatency:
    """Cycles from operands to result."""

    core: str
    round: float
    """AESENC; on ARM the pair AESE and AESMC, which cores execute as one."""
    source: str


@dataclass(frozen=True, slots=True)
class Bound:
    cycles_per_block: float
    seconds_per_byte: float
    latency: AesLatency
    clock_hz: float

    @property
    def bytes_per_second(self) -> float:
        return 1 / self.seconds_per_byte


@functools.cache
def latency_of(number: int | None) -> AesLatency | None:
    """AES latency of one processor of this machine; ``None`` also if it is not known which."""
    return latency(cpu.stanza(number)) if number is not None else None


def latency(cpuinfo: str | None = None) -> AesLatency | None:
    """Latency of this machine's AES instructions; ``None`` if the core is not known or has none."""
    vendor, number, model = cpu.family(cpuinfo) or (None, None, None)
    if vendor is None:
        return of_core(cpu.arm_core(cpuinfo) or "")
    return next(
        (
            _latency(each)
            for each in cpu.known()["aes"]
            if (each.get("vendor"), each.get("family")) == (vendor, number) and model in each.get("models", (model,))
        ),
        None,
    )


def of_core(name: str) -> AesLatency | None:
    """Latency of a core that is known here."""
    return next((_latency(each) for each in cpu.known()["aes"] if each["core"] == name), None)


def _latency(known: Mapping[str, Any]) -> AesLatency:
    return AesLatency(known["core"], known["cycles"], known["source"])


def cbc_encrypt(algorithm: str, operation: str, clock_hz: float | None, aes: AesLatency | None) -> Bound | None:
    """The bound of AES in CBC mode; ``None`` for all else, for unknown cores and without a clock."""
    match = _CBC.fullmatch(algorithm)
    if match is None or operation != "encrypt" or clock_hz is None or aes is None:
        return None
    cycles = _ROUNDS[int(match[1])] * aes.round
    return Bound(cycles, cycles / _BLOCK_BYTES / clock_hz, aes, clock_hz)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A rate that no code reaches on any processor there is: a figure above it is of something else."""

    bytes_per_cycle: float
    because: str


# By issue width; for an algorithm that is not known here, by the width of stores.
_STORED = Ceiling(64, "no core stores more than 64 bytes per cycle")
_AES = "no core executes more than two 512-bit AES instructions per cycle, eight rounds of a block"
_CEILINGS: tuple[tuple[re.Pattern[str], Ceiling], ...] = (
    *((re.compile(f"aes-{bits}-.*"), Ceiling(8 * 16 / rounds, _AES)) for bits, rounds in _ROUNDS.items()),
    (re.compile(r"rijndael-.*"), Ceiling(8 * 16 / 10, _AES)),
    (
        re.compile(r"chacha20"),
        Ceiling(64 * 64 / 960, "a block takes 960 operations on words, and no core executes more than 64 per cycle"),
    ),
    (re.compile(r"sha-256"), Ceiling(2, "no core executes more than two of its 64 chained rounds per cycle")),
    (re.compile(r"sha-512"), Ceiling(3.2, "no core executes more than two of its 80 chained rounds per cycle")),
)


def impossible(
    algorithm: str, operation: str, message_bytes: int, timing: Timing, aes: AesLatency | None
) -> str | None:
    """Why a message of ``message_bytes`` cannot have been processed in the measured time; ``None`` if it can. Each
    process's own clock counts, since the clock moves; without one, nothing is known."""
    if not timing.clocks_hz or not message_bytes:
        return None
    per_cycle = message_bytes / median(
        seconds * clock for seconds, clock in zip(process_medians(timing.seconds), timing.clocks_hz, strict=True)
    )
    limit = next((found for pattern, found in _CEILINGS if pattern.fullmatch(algorithm)), _STORED)
    least, because = limit.bytes_per_cycle, limit.because
    bound = cbc_encrypt(algorithm, operation, timing.clock_hz, aes)
    if bound is not None and timing.clock_hz is not None:
        least, because = 1 / (bound.seconds_per_byte * timing.clock_hz), in_words(bound)
    if per_cycle <= least * IMPOSSIBLE:
        return None
    return (
        f"{per_cycle:.3g} bytes per cycle cannot be: {because}, {least:.3g} bytes per cycle. "
        "What was timed did not do the work, or the clock was not the one that was measured"
    )


IMPOSSIBLE = 1.05
"""Factor above a bound that the clock's uncertainty explains: it moves by some percent, and is not measured during
samples."""


def share(bound: Bound, seconds: float, size: int) -> float:
    """The share of the bound's speed that ``seconds`` for ``size`` bytes reach."""
    return bound.seconds_per_byte * size / seconds


def in_words(bound: Bound) -> str:
    return (
        f"latency bound of AES instructions: {bound.cycles_per_block:g} cycles per block ({bound.latency.core}) at "
        f"{bound.clock_hz / 1e9:.2f} GHz are {bound.bytes_per_second / 1e9:.3f} GB/s"
    )
