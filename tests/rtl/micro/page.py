"""``docs/reference/models.md``: models of cores against their RTL, benchmark families and kernels."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ciphermark import embedded

from . import kernels, record

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "models.md"

_HEAD = """\
# How exact the models are

Modelled cycles compared with the RTL's. `make models` rewrites this page; tests fail if it is out of date.

An error is |model − RTL| ÷ RTL. *Cold* is the first pass after reset, *warm* a later one. If the RTL's own passes
differ, because its cache replaces lines at random or a predictor is still learning, no warm error is given. Ibex has no
randomness, so its last pass is always compared.
"""

_BENCHMARKS = """
## Benchmarks

`tests/rtl/micro` has small programs that each isolate one mechanism, written without regard to the models, and their
cycles in RTL (`cycles.json`). A family covers one mechanism.
"""

_KERNELS = """
## Kernels

Known answers passed on both. Programs are built by zig at -O2; the RTL's cycles are in `tests/rtl/micro/kernels.json`.
On machines that exist in RTL, programs print to a mailbox in `sim` too: HTIF would leave different lines in the cache,
and change which line is replaced next.
"""


@dataclass(frozen=True)
class Compared:
    """A benchmark."""

    family: str
    cold: float
    warm: float | None
    """Relative errors; ``None`` where the RTL's passes differ."""


def modelled(name: str, isa: str, elf: bytes) -> list[int]:
    """Cycles of each pass, as the program itself counts them."""
    ran = embedded.engine().simulate(
        elf,
        isa=f"{isa}_zicsr_zifencei",
        machine=record.configured(name).modelled(),
        signature_granularity=int(isa[2:4]) // 8,
    )
    assert ran.stop == "exit"
    assert ran.signature is not None
    return [int(word, 16) for word in ran.signature.split()]


@functools.cache
def compared(name: str) -> list[Compared]:
    """Every benchmark of a machine."""
    recorded, found = record.read()[name], []
    for benchmark, (isa, elf) in record.of(name).items():
        passes, taken = modelled(name, isa, elf), recorded[benchmark]
        comparable = taken.steady or is_ibex(name)
        warm = abs(passes[-1] - taken.warm) / taken.warm if comparable else None
        found.append(Compared(benchmark.partition("/")[0], abs(passes[0] - taken.cold) / taken.cold, warm))
    return found


def is_ibex(name: str) -> bool:
    return record.configured(name).core == "ibex"


def machines() -> list[str]:
    """Those with benchmarks and a model."""
    return [name for name in record.machines() if record.configured(name).unmodelled() is None]


def text() -> str:
    """The page."""
    return "\n".join([_HEAD + _BENCHMARKS, *_benchmarks(), _KERNELS, *_of_kernels(), ""])


def _benchmarks() -> Iterator[str]:
    exact = [name for name in machines() if is_ibex(name) and not any(_differs(each) for each in compared(name))]
    cases = sum(len(compared(name)) for name in exact)
    yield f"On these, the model is equal to the RTL in all {cases:,} cases, cold and warm:\n"
    yield f"- {', '.join(f'`{name}`' for name in exact if name not in record.LATENCIES)};"
    for base in exact:
        slow = [record.LATENCIES[name][1:] for name in exact if record.LATENCIES.get(name, ("",))[0] == base]
        if slow:
            pairs = "; ".join(f"{instruction} and {data}" for instruction, data in slow)
            yield f"- `{base}` where instructions and data take these cycles: {pairs}."
    yield ""
    for name in machines():
        if name not in exact:
            yield from _families(name, compared(name))


def _differs(each: Compared) -> bool:
    return bool(each.cold or each.warm)


def _families(name: str, found: list[Compared]) -> Iterator[str]:
    yield f"### `{name}`\n"
    yield "| family | programs | equal, warm | mean, warm | worst, warm | mean, cold | worst, cold |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for family in sorted({each.family for each in found}):
        yield _line(family, [each for each in found if each.family == family])
    yield _line("**all**", found)
    yield ""


def _line(family: str, found: list[Compared]) -> str:
    warm = [each.warm for each in found if each.warm is not None]
    cells = [str(len(found)), f"{sum(not each for each in warm)} of {len(warm)}", *_errors(warm)]
    return f"| {family} | {' | '.join([*cells, *_errors([each.cold for each in found])])} |"


def _errors(found: Iterable[float]) -> tuple[str, str]:
    known = list(found)
    return (_percent(statistics.mean(known)), _percent(max(known))) if known else ("—", "—")


def _percent(error: float) -> str:
    return f"{100 * error:.2f} %"


def _of_kernels() -> Iterator[str]:
    yield "| machine | kernel | RTL, warm | model | error | RTL, cold | model | error |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for kernel, taken in kernels.read().items():
        found = kernels.rows(kernel, "sim")
        cells = []
        for state, cycles in (("warm", taken.warm), ("cold", taken.cold)):
            model = found[state].cycles or 0
            cells += [f"{cycles:,}", f"{model:,}", f"{100 * (model - cycles) / cycles:+.2f} %".replace("-", "−")]
        machine = f"`{kernel.machine}`" + (f", latency {kernel.memory_latency}" if kernel.memory_latency else "")
        yield f"| {machine} | {kernel} | {' | '.join(cells)} |"


def write() -> None:
    PAGE.write_text(text())
