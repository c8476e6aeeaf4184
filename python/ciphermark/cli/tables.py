"""Tables for a terminal: columns that fit its width, broken between words, never through one where there is room."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table

_PROSE = 24
"""Columns of the screen below which sentences are no longer read with ease."""
_TIGHT = 10
"""Columns of the screen to which breakable cells shrink before others break."""
_EDGES = 2
_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    cells: Sequence[str]
    right: bool = False
    whole: bool = False
    """Whether its cells never break: names, numbers."""
    prose: bool = False
    """Whether its cells are sentences, which want more room than their longest word."""

    @property
    def natural(self) -> int:
        """The width at which nothing breaks."""
        return max(map(cell_len, (self.heading, *self.cells)))

    @property
    def least(self) -> int:
        """The width below which words break, or sentences become a column of words."""
        if self.whole:
            return self.natural
        words = [word for text in (self.heading, *self.cells) for word in text.split()]
        return max(min(self.natural, _PROSE if self.prose else 0), max(map(cell_len, words), default=0))


def fitting(columns: Mapping[str, Column], less_asked_for: Sequence[str], width: int) -> dict[str, Column]:
    """The columns, without as many of ``less_asked_for``, in its order, as have no room."""
    found = dict(columns)
    for name in less_asked_for:
        if fits(list(found.values()), width):
            break
        found.pop(name, None)
    return found


def fits(columns: Sequence[Column], width: int) -> bool:
    """Whether the columns stand side by side without a broken word."""
    return sum(column.least for column in columns) <= _room(len(columns), width)


def table(columns: Sequence[Column], width: int, title: str = "") -> Table:
    """The columns, at most ``width`` wide; words break only where they do not fit at all."""
    found = Table(
        title=escape(title) or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for column, chosen in zip(columns, _widths(columns, width), strict=True):
        justify = "right" if column.right else "left"
        found.add_column(escape(column.heading), justify=justify, width=chosen, overflow="fold")  # type: ignore[arg-type]
    for line in zip(*(column.cells for column in columns), strict=True):
        found.add_row(*map(escape, line))
    return found


def in_parts(label: Column, columns: Sequence[Column], width: int) -> Iterator[Table]:
    """``columns`` beside their label; those that do not fit stand below, beside the label again."""
    part: list[Column] = []
    for column in columns:
        if part and not fits([label, *part, column], width):
            yield table([label, *part], width)
            part = []
        part.append(column)
    yield table([label, *part], width)


def _room(count: int, width: int) -> int:
    return width - _EDGES - _GAP * (count - 1)


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Widths: what each column needs, and then more for those that would break into most lines."""
    found = [column.least for column in columns]
    room = _room(len(columns), width)
    breakable = [index for index, column in enumerate(columns) if not column.whole]
    while sum(found) > room:
        shrinking = [index for index in breakable if found[index] > _TIGHT] or list(range(len(found)))
        widest = max(shrinking, key=lambda index: found[index])
        if found[widest] == 1:
            break
        found[widest] -= 1
    while sum(found) < room:
        crowded = {
            index: column.natural / found[index]
            for index, column in enumerate(columns)
            if found[index] < column.natural
        }
        if not crowded:
            break
        found[max(crowded, key=lambda index: crowded[index])] += 1
    return found
