"""Charts as SVG text of one fixed width: read at once, without scripts, as a file and as a thumbnail. Text is taken to
be as wide as in the widest of the usual fonts, so that nothing that fits here is cut elsewhere."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import escape

from ciphermark.report import palette
from ciphermark.report.figures.theme import SANS

SIZE = 12
"""Size of text, in pixels."""
_NARROW, _WIDE = frozenset("iljtfr.,:;'|!()[]/ -\u202f\u00a0"), frozenset("mwMWQO@%—+−→")


def width(text: str, size: float = SIZE) -> float:
    """Width of text in pixels: the greater of DejaVu Sans and of a monospaced face, which a machine with few fonts may
    use."""
    return sum(0.61 if c in _NARROW else 0.95 if c in _WIDE else 0.72 if c.isupper() else 0.64 for c in text) * size


def clipped(text: str, room: float, size: float = SIZE) -> str:
    """As much of the text as fits, an ellipsis instead of the rest."""
    if width(text, size) <= room:
        return text
    while text and width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, room: float, size: float = SIZE) -> list[str]:
    """The text in lines that fit, broken between words."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [clipped(line, room, size) for line in lines]


@dataclass
class Canvas:
    """Marks from back to front; heights grow as they are added."""

    width: int
    height: float = 0.0
    _marks: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", muted: bool = False, bold: bool = False,
             size: float = SIZE, halo: bool = False, colour: str = "") -> None:  # fmt: skip
        fill = colour or ("var(--muted)" if muted else "var(--ink)")
        weight = ' font-weight="600"' if bold else ""
        around = ' stroke="var(--paper)" stroke-width="4" stroke-linejoin="round" paint-order="stroke"' if halo else ""
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._marks.append(
            f'<text x="{_n(x)}" y="{_n(y + size * 0.36)}" font-size="{_n(size)}" fill="{fill}"{at}{weight}{around}>'
            f"{escape(words)}</text>"
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str, *, stroke: float = 1, dash: str = ""
    ) -> None:
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._marks.append(
            f'<path d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" fill="none" stroke="{colour}" '
            f'stroke-width="{_n(stroke)}"{dashed}/>'
        )

    def path(self, points: Sequence[tuple[float, float]], colour: str, *, dash: str = "") -> None:
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        d = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self._marks.append(
            f'<path d="M{d}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"{dashed}/>'
        )

    def box(self, x: float, y: float, w: float, h: float, colour: str, title: str = "", opacity: float = 1) -> None:
        said = f"<title>{escape(title)}</title>" if title else ""
        faint = f' fill-opacity="{_n(opacity)}"' if opacity != 1 else ""
        self._marks.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" fill="{colour}"{faint}>{said}</rect>'
        )

    def ring(self, x: float, y: float) -> None:
        self._marks.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="7" fill="none" stroke="var(--ink)" stroke-width="1.6"/>'
        )

    def symbol(self, x: float, y: float, shape: str, colour: str, title: str = "", size: float = 5) -> None:
        said = f"<title>{escape(title)}</title>" if title else ""
        self._marks.append(f'<path d="{_shape(shape, x, y, size)}" fill="{colour}" stroke="var(--paper)">{said}</path>')

    def document(self, label: str, *, alone: bool = False) -> str:
        """The whole; ``alone``, as a file of its own, in light colours on white."""
        height = math.ceil(self.height)
        marks = "".join(self._marks)
        back = f'<rect width="{self.width}" height="{height}" fill="#ffffff"/>' if alone else ""
        made = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
            f'height="{height}" role="img" aria-label="{escape(label)}" font-family="{escape(SANS)}">'
            f"{back}{marks}</svg>"
        )
        return light(made) if alone else made


def light(made: str) -> str:
    """The drawing with the light palette's colours instead of their variables."""
    for name, colour in palette.LIGHT.items():
        made = made.replace(f"var(--{name})", colour)
    return made


def _shape(shape: str, x: float, y: float, r: float) -> str:
    def polygon(*points: tuple[float, float]) -> str:
        return "M" + "L".join(f"{_n(x + dx * r)} {_n(y + dy * r)}" for dx, dy in points) + "Z"

    match shape:
        case "tick":
            return polygon((-0.35, -1.7), (0.35, -1.7), (0.35, 1.7), (-0.35, 1.7))
        case "square":
            return polygon((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9))
        case "triangle-up":
            return polygon((0, -1.15), (1.1, 0.9), (-1.1, 0.9))
        case "triangle-down":
            return polygon((0, 1.15), (1.1, -0.9), (-1.1, -0.9))
        case "diamond":
            return polygon((0, -1.3), (1.2, 0), (0, 1.3), (-1.2, 0))
        case "cross":
            return polygon(
                (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2),
                (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4),
            )  # fmt: skip
    return f"M{_n(x - r)} {_n(y)}a{_n(r)} {_n(r)} 0 1 0 {_n(2 * r)} 0a{_n(r)} {_n(r)} 0 1 0 {_n(-2 * r)} 0Z"


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps figures to positions; logarithmic if they differ much."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def at(self, figure: float) -> float:
        if self.log:
            share = math.log(figure / self.low) / math.log(self.high / self.low)
        else:
            share = (figure - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Round figures, as many as there is room for."""
        if not self.log:
            step = _round_up((self.high - self.low) / most)
            first = math.ceil(self.low / step)
            return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1, 2, 5), (1, 3), (1,)):
            found = [each * 10.0**n for n in decades for each in steps if self.low <= each * 10.0**n <= self.high]
            if len(found) <= most:
                return found
        apart = math.ceil(len(found) / most)
        return found[::apart]


_FAR = 6
"""Greatest by least figure, from which a scale is logarithmic."""


def scale(figures: Sequence[float], start: float, end: float) -> Scale:
    low, high = min(figures), max(figures)
    if low > 0 and high / low > _FAR:
        return Scale(low / 1.25, high * 1.12, start, end, log=True)
    return Scale(0, (high or 1) * 1.06, start, end, log=False)


def _round_up(step: float) -> float:
    unit = 10.0 ** math.floor(math.log10(step))
    return next(each * unit for each in (1, 2, 2.5, 5, 10) if each * unit >= step * 0.999)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
