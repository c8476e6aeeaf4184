"""Whole numbers as studies write them: ``8``, ``1..64`` (doubling), ``10..50 step 10``, lists and mixtures of these."""

import re
from collections.abc import Iterable

MOST = 10_000
"""Numbers at a time: each is a point for every other axis."""

_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9})(?: +step +([0-9]{1,9}))?)?")


def parse_numbers(text: str | int | Iterable[str | int]) -> tuple[int, ...]:
    """Each number once, in the order written. Raises ``ValueError`` that names the text and the grammar."""
    found: dict[int, None] = {}
    for part in text.split(",") if isinstance(text, str) else [text] if isinstance(text, int) else text:
        found |= dict.fromkeys([part] if isinstance(part, int) else _of(part.strip()))
        if len(found) > MOST:
            raise ValueError(f"more than {MOST:,} numbers are given")
    if not found:
        raise ValueError("no number given")
    return tuple(found)


def _of(part: str) -> Iterable[int]:
    match = _RANGE.fullmatch(part)
    if match is None:
        raise ValueError(f"`{part}` is not a number or a range: write 8, 1..64, which doubles, or 10..50 step 10")
    first = int(match[1])
    if match[2] is None:
        return [first]
    last, step = int(match[2]), int(match[3]) if match[3] is not None else None
    if first > last or step == 0 or (step is None and first == 0):
        raise ValueError(f"range `{part}` has no end: it runs downwards, or stands still")
    if step is not None:
        if (last - first) // step >= MOST:
            raise ValueError(f"range `{part}` has more than {MOST:,} numbers")
        if (last - first) % step:
            before = last - (last - first) % step
            raise ValueError(f"range `{part}` does not meet {last}: {before} is the last before it")
        return range(first, last + 1, step)
    doubled = [first]
    while doubled[-1] < last:
        doubled.append(2 * doubled[-1])
    if doubled[-1] != last:
        raise ValueError(f"range `{part}` doubles from {first} but does not meet {last}: {doubled[-1]} is next")
    return doubled
