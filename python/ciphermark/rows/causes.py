"""What modelled cycles of a call were spent on."""

from collections import Counter
from collections.abc import Mapping

from ciphermark.rows.passage import ISSUE

_READING = "system"
"""The cause of cycles in which a counter is read."""


def of_call(spent: Mapping[str, int], empty: Mapping[str, int], cycles: int) -> dict[str, int]:
    """Cycles by cause: those of a passage through the timed region less one that calls an empty function, ``cycles`` in
    all, as the harness's counters say. The counters are read outside the region, and a read soon after a return may
    wait for it: cycles that the region lacks are counted as reading them. No cause is negative: what the empty call
    spent more on one is subtracted from the others, the largest first, and from issuing last."""
    found = Counter(spent)
    found.subtract(empty)
    found[_READING] += cycles - found.total()
    owed = -sum(it for it in found.values() if it < 0)
    left = {cause: it for cause, it in found.items() if it > 0}
    for cause in sorted(left, key=lambda cause: (cause == ISSUE, -left[cause], cause)):
        taken = min(owed, left[cause])
        left[cause] -= taken
        owed -= taken
    return {cause: it for cause, it in left.items() if it}
