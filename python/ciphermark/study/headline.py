"""What a report opens with: a question, and the first of its answers of which this run has everything. Numbers are
declared, never typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, field_validator, model_validator

from ciphermark.notation.manifest import ManifestModel
from ciphermark.rows.metrics import MetricName
from ciphermark.rows.selection import Names, Selector

MOST_NUMBERS = 3
"""Most numbers that an answer shows in large type."""

_PLACE = re.compile(r"\{([^{}]*)\}")
_CODE = re.compile(r"`[^`]*`")
_TYPED = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*(?![\w-])")
"""A figure that stands by itself, unlike those of names: `AES-256`, `V4`, `RV32I`."""


class Number(ManifestModel):
    """A number of the answer, from the rows that `where` and `rows` select. If there are several, the answer shows the
    smallest and the largest."""

    label: str = ""
    """A caption; the number is then shown in large type above it."""
    metric: MetricName = "instructions"
    form: Literal["value", "times", "less", "more", "share", "break-even"] = "value"
    """`value`: the metric. `times`: `over` ÷ `rows`. `less` and `more`: by how much `rows` is less
    or greater, in percent. `share`: percent of `over`, or of all cycles for `causes`. `break-even`: the size from
    which a call of `rows` costs less than one of `over`. If a part of what `times`, `less` or `more` compare is not
    measured, the whole answer is not shown."""
    where: Selector = Selector()
    rows: Selector = Selector()
    over: Selector | None = None
    """Each row is compared with the one of these that equals it in all columns that the two selections leave open."""
    pick: Literal["least", "greatest"] | None = None
    """Show only the smallest or largest of several; comparisons then use that of each side."""
    causes: Names = ()
    """For `share`: causes of modelled cycles."""

    @model_validator(mode="after")
    def _whole(self) -> Number:
        compared = self.form in ("times", "less", "more", "break-even") or (self.form == "share" and not self.causes)
        if compared and self.over is None:
            raise ValueError(f"`{self.form}` compares with the rows of `over`, which is missing")
        if not compared and self.over is not None:
            raise ValueError(f"`over` has no meaning for `{self.form if not self.causes else 'causes'}`")
        if self.causes and self.form != "share":
            raise ValueError('`causes` are shown as `form = "share"`')
        if self.form == "break-even" and self.metric not in ("seconds", "instructions", "cycles"):
            raise ValueError("a break-even is one of `seconds`, `instructions` or `cycles`")
        return self

    def selectors(self) -> Iterator[Selector]:
        yield from (self.where, self.rows)
        if self.over is not None:
            yield self.over


class Mark(ManifestModel):
    """Rows that are drawn in the same way: a line of the figure, or one of the marks on each line."""

    label: str
    rows: Selector = Selector()
    over: Selector | None = None
    """Draw the quotients by these rows."""


class Part(ManifestModel):
    """One of the figure's charts."""

    title: str
    metric: MetricName = "instructions_per_byte"
    where: Selector = Selector()
    absent: str = "not measured"
    """The text for a line that has no marks in this chart."""


class Drawing(ManifestModel):
    """The figure next to the answer."""

    kind: Literal["dots", "lines", "stacks", "break-even"]
    """`dots`: each line's marks on one scale. `lines`: each line against a column. `stacks`: each line's modelled
    cycles by cause. `break-even`: each line's cost per call by size."""
    title: str
    caption: str = ""
    parts: tuple[Part, ...] = Field(min_length=1, max_length=2)
    lines: tuple[Mark, ...] = Field(min_length=1)
    marks: tuple[Mark, ...] = ()
    """For `dots`: what is compared on each line, the baseline first."""
    x: Literal["vlen", "size", "total_bytes"] = "size"
    """For `lines`: the column."""

    @model_validator(mode="after")
    def _has_its_marks(self) -> Drawing:
        if self.kind == "dots" and not self.marks:
            raise ValueError("a figure of `dots` needs `marks`: what is compared on each line")
        if self.kind != "dots" and self.marks:
            raise ValueError("only a figure of `dots` has `marks`")
        if self.kind in ("stacks", "break-even") and len(self.parts) > 1:
            raise ValueError(f"a figure of `{self.kind}` has one part")
        return self

    def selectors(self) -> Iterator[Selector]:
        for mark in (*self.lines, *self.marks):
            yield mark.rows
            if mark.over is not None:
                yield mark.over
        yield from (part.where for part in self.parts)


class Answer(ManifestModel):
    """A sentence with numbers, `{name}`, and the figure that shows it."""

    sentence: str
    numbers: dict[str, Number] = Field(default_factory=dict)
    figure: Drawing

    @field_validator("sentence")
    @classmethod
    def _types_no_figure(cls, value: str) -> str:
        typed = _TYPED.search(_PLACE.sub("", _CODE.sub("", value)))
        if typed:
            raise ValueError(
                f"the figure {typed[0]} is typed into the sentence: declare it in `numbers`, write its name in braces"
            )
        return value

    @model_validator(mode="after")
    def _names_its_numbers(self) -> Answer:
        named = _PLACE.findall(self.sentence)
        for name in named:
            if name not in self.numbers:
                raise ValueError(f"the sentence has {{{name}}}, which `numbers` does not declare")
        for name, number in self.numbers.items():
            if name not in named and not number.label:
                raise ValueError(f"nothing shows the number {name!r}: use it in the sentence, or give it a `label`")
        large = [name for name, number in self.numbers.items() if number.label]
        if len(large) > MOST_NUMBERS:
            raise ValueError(f"{len(large)} numbers have a `label`; at most {MOST_NUMBERS} have room in large type")
        return self

    def in_parts(self) -> list[str]:
        """The sentence: text, a number's name, text, and so on."""
        return _PLACE.split(self.sentence)

    def selectors(self) -> Iterator[Selector]:
        for number in self.numbers.values():
            yield from number.selectors()
        yield from self.figure.selectors()


class Headline(ManifestModel):
    """What the report opens with, and its main table: one metric by implementation and ISA."""

    question: str = ""
    """The question in one line; if empty, the study's title is shown."""
    answers: tuple[Answer, ...] = ()
    """The first one whose rows were all measured is shown. If there is none, the page says what is missing and takes
    an answer from the main table."""
    metric: MetricName = "instructions_per_byte"
    where: Selector = Selector()
    baseline: dict[Literal["32", "64"], str] = Field(default_factory=dict)
    """For each XLEN, the ISA that the others are compared with."""

    def selectors(self) -> Iterator[Selector]:
        for answer in self.answers:
            yield from answer.selectors()
