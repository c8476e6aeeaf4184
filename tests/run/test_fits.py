"""Lines fitted to what calls cost, and where two of them cross: as far as the run can tell, and no further."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import ValidationError

from ciphermark.analysis.break_even import Crossing
from ciphermark.analysis.fits import Fitted, fit
from ciphermark.rows.lines import least_squares
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector
from ciphermark.study.shown import Fits

from .rows_for_tests import row

SIZES = (64, 256, 4096, 65536)
PROCESSES = 7

Noise = Callable[[], float]


def costs(
    name: str, fixed: float, per_byte: float, *, total: int | None = None, noise: Noise | None = None, **given: object
) -> list[Row]:
    """Rows whose costs are on a line: exact, or with ``noise``, a factor, samples."""
    calls = {size: total // size if total is not None else 1 for size in SIZES}
    found = []
    for size in SIZES:
        exact = (fixed + per_byte * size) * calls[size]
        raw = tuple((exact * noise(),) * 3 for _ in range(PROCESSES)) if noise else None
        seconds = sorted(sample for sample, *_ in raw)[PROCESSES // 2] if raw else exact
        found.append(
            row(
                **{"engine": "host", "isa": "x86_64", "run": "run", **given}, implementation=name, size=size,
                total_bytes=total, seconds=seconds, raw=raw,
            )
        )  # fmt: skip
    return found


def all_fitted(*groups: list[Row]) -> list[Fitted]:
    names = list(dict.fromkeys(group[0].implementation for group in groups))
    asked = Fits(
        title="t",
        metric="seconds",
        baseline=Selector(implementation=(names[0],)),
        subject=Selector(implementation=tuple(names[1:]) or ("none",)),
    )
    return fit(asked, [each for group in groups for each in group])


def fitted(*groups: list[Row]) -> Fitted:
    (found,) = all_fitted(*groups)
    return found


def crossing(*groups: list[Row]) -> Crossing:
    (found,) = fitted(*groups).crossings
    return found


def test_a_law_is_found() -> None:
    line = fitted(costs("soft", 5e-7, 2e-9)).lines[0]
    assert (line.fixed, line.per_byte) == pytest.approx((5e-7, 2e-9))
    assert line.worst < 1e-9


def test_a_message_in_chunks_costs_what_its_calls_do() -> None:
    whole, single = (fitted(costs("soft", 5e-7, 2e-9, total=total)).lines[0] for total in (1 << 20, None))
    assert dict(whole.points) == pytest.approx(dict(single.points))


def test_no_cost_is_below_zero() -> None:
    assert least_squares([(10, 5.0), (100, 95.0), (1000, 1010.0)])[0] == 0
    assert least_squares([(10, 5.0), (100, 4.0), (1000, 3.0)])[1] == 0


def test_too_few_sizes_are_no_line() -> None:
    assert fitted(costs("soft", 5e-7, 2e-9)[:2]).lines == ()


@pytest.mark.parametrize(
    ("kernel", "wins", "size"),
    [
        ((3e-6, 1e-9), "from", 2500.0),
        ((1e-7, 3e-9), "up to", 400.0),
        ((1e-7, 1e-9), "always", None),
        ((3e-6, 3e-9), "never", None),
    ],
)
def test_crossings(kernel: tuple[float, float], wins: str, size: float | None) -> None:
    found = crossing(costs("soft", 5e-7, 2e-9), costs("kernel", *kernel))
    assert found.wins == wins
    assert found.size == (pytest.approx(size) if size is not None else None)
    assert (found.first, found.last) == (64, 65536)


@pytest.mark.parametrize(("per_byte", "wins"), [(4e-9, "never"), (1e-9, "always")])
def test_lines_through_the_origin_do_not_cross_there(per_byte: float, wins: str) -> None:
    found = crossing(costs("soft", 0, 2e-9), costs("kernel", 0, per_byte))
    assert (found.wins, found.size) == (wins, None)


def test_what_is_equal_shows_no_difference() -> None:
    found = crossing(costs("soft", 5e-7, 2e-9), costs("kernel", 5e-7, 2e-9))
    assert (found.wins, found.at_first, found.at_last) == ("unclear", "same", "same")


def test_nothing_is_said_of_sizes_beyond_the_measured() -> None:
    """These lines would cross at 10 GB."""
    found = crossing(costs("soft", 0, 2e-9), costs("kernel", 1e-6, 2e-9 - 1e-16))
    assert (found.wins, found.size) == ("never", None)


def noisy(seed: int, spread: float) -> Noise:
    chance = random.Random(seed)
    return lambda: chance.lognormvariate(0, spread)


def test_a_break_even_has_an_interval() -> None:
    found = crossing(costs("soft", 5e-7, 2e-9, noise=noisy(1, 0.02)), costs("kernel", 3e-6, 1e-9, noise=noisy(2, 0.02)))
    assert found.wins == "from"
    assert found.size is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.size < found.high
    assert found.low < 2500 < found.high
    assert found.high / found.low < 2
    assert found.confidence == 0.984375


def test_the_interval_contains_the_true_size_as_often_as_it_says() -> None:
    inside = 0
    for seed in range(100):
        noise = noisy(seed, 0.05)
        found = crossing(costs("soft", 5e-7, 2e-9, noise=noise), costs("kernel", 3e-6, 1e-9, noise=noise))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 2500 <= found.high
    assert inside >= 95


@pytest.mark.parametrize("seed", range(10))
def test_noise_decides_nothing(seed: int) -> None:
    noise = noisy(seed, 0.1)
    found = crossing(costs("soft", 5e-7, 2e-9, noise=noise), costs("kernel", 5e-7, 2e-9 + 1e-16, noise=noise))
    assert (found.wins, found.at_first, found.at_last, found.size) == ("unclear", "same", "same", None)


def test_samples_without_a_round_in_common_show_nothing() -> None:
    soft, kernel = costs("soft", 5e-7, 2e-9, noise=noisy(1, 0.01)), costs("kernel", 5e-7, 8e-9, noise=noisy(2, 0.01))
    lost = [replace(row, raw=((), *(row.raw or ())[1:])) for row in kernel]
    assert crossing(soft, lost).wins == "unclear"


def test_one_end_may_be_clear_and_the_other_not() -> None:
    found = crossing(costs("soft", 5e-7, 2e-9, noise=noisy(1, 0.05)), costs("kernel", 3e-6, 2e-9, noise=noisy(2, 0.05)))
    assert (found.wins, found.at_first, found.at_last) == ("unclear", "above", "same")


def test_an_order_that_does_not_hold_between_is_not_said_to() -> None:
    kernel = costs("kernel", 1e-7, 1e-9)
    kernel[2] = row(engine="host", isa="x86_64", run="run", implementation="kernel", size=4096, seconds=1.0)
    found = crossing(costs("soft", 5e-7, 2e-9), kernel)
    assert (found.wins, found.at_first, found.at_last) == ("unclear", "below", "below")


def test_lines_that_do_not_fit_leave_the_size_open() -> None:
    """The kernel is above at 64 B and below at 64 KiB; no line through its points says so."""
    soft = costs("soft", 5e-7, 2e-9)
    factors = {64: 1.2, 256: 0.01, 4096: 50.0, 65536: 0.9}
    kernel = [
        replace(each, implementation="kernel", seconds=factors[each.size] * (each.seconds or 0))
        for each in soft
    ]  # fmt: skip
    found = crossing(soft, kernel)
    assert found.wins == "from"
    assert (found.low, found.high) == (64, 65536)


def test_counts_of_an_emulated_kernel_differ_by_what_ran_before() -> None:
    def counted(name: str, fixed: int, per_byte: float) -> list[Row]:
        return [
            row(engine="vm", isa="aarch64", implementation=name, size=size, instructions=round(fixed + per_byte * size))
            for size in SIZES
        ]

    asked = Fits(
        title="t",
        metric="instructions",
        baseline=Selector(implementation=("soft",)),
        subject=Selector(implementation=("kernel", "alike")),
    )
    rows = [*counted("soft", 20, 131.0), *counted("kernel", 90000, 2.5), *counted("alike", 20, 134.0)]
    (found,) = fit(asked, rows)
    kernel, alike = found.crossings
    assert kernel.size is not None
    assert kernel.size == pytest.approx(700, rel=0.01)
    assert kernel.low is not None
    assert kernel.high is not None
    assert kernel.low < 0.97 * kernel.size < 1.03 * kernel.size < kernel.high
    assert kernel.confidence is None
    assert (alike.at_first, alike.at_last) == ("same", "same")


def test_what_is_of_different_things_has_lines_apart() -> None:
    rows = [
        costs(name, fixed, factor * per_byte, algorithm=algorithm, opt=opt)
        for name, fixed, per_byte in (("soft", 5e-7, 2e-9), ("kernel", 3e-6, 1e-9))
        for algorithm, factor in (("aes-128-cbc", 1), ("aes-256-cbc", 3))
        for opt in ("O2", "O3")
    ]
    found = all_fitted(*rows)
    assert [each.title for each in found] == [
        "t, aes-128-cbc, -O2", "t, aes-128-cbc, -O3", "t, aes-256-cbc, -O2", "t, aes-256-cbc, -O3",
    ]  # fmt: skip
    for each, factor in zip(found, (1, 1, 3, 3), strict=True):
        assert [line.per_byte for line in each.lines] == pytest.approx([factor * 2e-9, factor * 1e-9])
        assert [line.worst for line in each.lines] == pytest.approx([0, 0], abs=1e-9)
        assert [(pair.subject, pair.baseline, pair.wins) for pair in each.crossings] == [(1, 0, "from")]


def test_rows_of_different_runs_are_not_compared() -> None:
    found = all_fitted(costs("soft", 5e-7, 2e-9), costs("kernel", 3e-6, 1e-9, run="another"))
    assert [each.crossings for each in found] == [(), ()]


def test_code_without_vectors_is_compared_at_every_vlen() -> None:
    plain = costs("soft", 5e-7, 2e-9)
    found = all_fitted(plain, *(costs("vector", 3e-6, 1e-9 / bits, vlen=bits) for bits in (128, 256)))
    assert [each.title for each in found] == ["t, VLEN 128", "t, VLEN 256"]
    assert [len(each.crossings) for each in found] == [1, 1]


def test_sides_that_are_of_different_things_are_refused() -> None:
    with pytest.raises(ValidationError, match="differ in `opt`"):
        Fits(title="t", baseline=Selector(opt=("O2",)), subject=Selector(opt=("O3",)))
    Fits(title="t", baseline=Selector(isa=("rv64i",), opt=("O2",)), subject=Selector(isa=("rv64gc",), opt=("O2",)))
