"""Lines fitted to what calls cost, and where two of them cross."""

from __future__ import annotations

import pytest

from ciphermark.claims.schema import Selector
from ciphermark.execution.fits import Crossing, Fitted, fit, least_squares
from ciphermark.model import Row
from ciphermark.study.schema import Fits

from .rows_for_tests import row

SIZES = (64, 256, 4096, 65536)


def costs(name: str, fixed: float, per_byte: float, *, total: int | None = None) -> list[Row]:
    calls = {size: total // size if total is not None else 1 for size in SIZES}
    return [
        row(
            engine="host", implementation=name, isa="x86_64", size=size, total_bytes=total,
            seconds=(fixed + per_byte * size) * calls[size],
        )
        for size in SIZES
    ]  # fmt: skip


def fitted(*groups: list[Row]) -> Fitted:
    names = [group[0].implementation for group in groups]
    asked = Fits(
        title="t",
        metric="seconds",
        baseline=Selector(implementation=(names[0],)),
        subject=Selector(implementation=tuple(names[1:]) or ("none",)),
    )
    return fit(asked, [each for group in groups for each in group])


def test_a_law_is_found() -> None:
    line = fitted(costs("soft", 5e-7, 2e-9)).lines[0]
    assert (line.fixed, line.per_byte) == pytest.approx((5e-7, 2e-9))
    assert line.worst < 1e-9


def test_a_message_in_chunks_costs_what_its_calls_do() -> None:
    whole, single = (fitted(costs("soft", 5e-7, 2e-9, total=total)).lines[0] for total in (1 << 20, None))
    assert dict(whole.points) == pytest.approx(dict(single.points))


def test_no_cost_is_below_zero() -> None:
    assert least_squares([(10, 5.0), (100, 95.0), (1000, 1010.0)])[0] == 0


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
    (found,) = fitted(costs("soft", 5e-7, 2e-9), costs("kernel", *kernel)).crossings
    assert isinstance(found, Crossing)
    assert found.wins == wins
    assert found.size == (pytest.approx(size) if size is not None else None)
