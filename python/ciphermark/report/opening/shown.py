"""A figure that is drawn already: for wide and narrow screens and as a file, with its data."""

from collections.abc import Callable
from dataclasses import dataclass

from ciphermark.notation.numbers import plain
from ciphermark.report.opening.svg import Canvas

WIDE, NARROW = 640, 350
"""Widths that it is drawn in: beside text, and on a phone."""

Table = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    title: str
    caption: str
    wide: str
    narrow: str
    alone: str
    """The drawing as a file of its own."""
    head: tuple[str, ...]
    body: Table
    """Its data."""
    id: str = "figure-1"

    @property
    def number(self) -> str:
        return self.id.removeprefix("figure-")


def made(title: str, caption: str, draw: Callable[[int], Canvas], head: tuple[str, ...], body: Table) -> Shown:
    name = plain(title)
    said = f"{name}. Its data is in the table below it."
    return Shown(
        name,
        caption,
        draw(WIDE).document(said),
        draw(NARROW).document(said),
        draw(WIDE).document(name, alone=True),
        head,
        body,
    )
