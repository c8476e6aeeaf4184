"""The files a report is made from, as they lie in ``results/<study>/``.

Reading is liberal (a missing optional file or an unknown key never costs a reader the report), but what is
read is typed: everything the templates touch comes through these models.

``rows.jsonl``     one :class:`ciphermark.model.Row` a line, JSON object, with histograms
``claims.json``    list of :class:`Claim` (or ``{"claims": [...]}``)
``manifest.json``  :class:`Manifest`; keys it does not know are shown as they are
``emulator_cost.csv``  optional, shown as it is
``study.json``     :class:`Study`: title, question, tables, plots, headline, disassembly, controls, skipped
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from ciphermark.errors import CiphermarkError
from ciphermark.model import JSON_ONLY, Row

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

ROW_COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(Row) if f.name not in JSON_ONLY)
"""Columns of every output, in order."""


class InputError(CiphermarkError):
    """A file of the results folder cannot be read; the message names file, line and mistake."""


def _as_text(value: object) -> object:
    """Figures may come as numbers: the report prints them, it never computes with them."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return f"{value:,}"
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _as_list(value: object) -> object:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_as_text)]
Lines = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Liberal(BaseModel):
    """Files written by a newer version still give a report."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class Claim(_Liberal):
    """A published figure and what became of it."""

    id: str = ""
    claim: Text = Field(validation_alias=AliasChoices("claim", "title", "text", "statement"))
    """The claim in its author's terms, for instance ``63.1 % fewer cycles with Zbb``."""
    published: Text | None = None
    measured: Text | None = None
    """``None`` when nothing measured corresponds to the claim; ``reason`` then says why."""
    definition: Text | None = None
    """How the published figure is defined, and what was measured to judge it."""
    verdict: str
    """``confirmed``, ``contradicted`` or ``not testable``; any other word is shown as it is."""
    reason: Text = ""
    evidence: Lines = ()
    """The figures behind the verdict, a handful."""
    citation: Text | None = Field(default=None, validation_alias=AliasChoices("citation", "source", "cite"))
    ours: bool = False
    """Made here, of a kernel of ours against what is published; the others are the sources' own."""
    url: str | None = None
    """Address of the publication; linked only when it is http(s)."""


class Plot(_Liberal):
    """A figure, by kind. Everything but ``kind`` has a default, so that a study may say just that.

    Kinds: ``by-isa`` (grouped bars: one metric by implementation, coloured by ISA), ``by-size`` (one metric
    against message size, log-log), ``by-technique`` (the same, a line a technique), ``break-even`` (that, with
    break-even points marked), ``code-size`` (code and read-only data, stacked).
    ``where`` fixes columns (``{"compiler": "zig", "opt": "O2"}``, a value or a list); columns left open are
    chosen by the reader in the page, starting from the headline's selection.
    """

    kind: str
    title: Text | None = None
    caption: Text | None = None
    metric: str | None = None
    each: str | None = None
    """Column of which every value has a figure of its own."""
    where: dict[str, Any] = Field(default_factory=dict)


class Table(_Liberal):
    """A table the study asks for, with its figures."""

    title: Text
    caption: Text | None = None
    metric: str = "instructions"
    ratio: bool = False
    """Quotients of the metric, not figures."""
    figure: bool = False
    """Drawn besides, before the plots."""
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, tuple[tuple[float, float] | None, ...]], ...] = ()
    """Label, and least and greatest figure of each cell; ``None`` where nothing was measured."""
    spreads: tuple[tuple[tuple[float, float] | None, ...], ...] = ()
    """Of figures of time, by line and column: within what they lie."""

    @property
    def empty(self) -> bool:
        return not any(cell is not None for _, cells in self.lines for cell in cells)


class FittedLine(_Liberal):
    """One technique's cost of a call: ``fixed + per_byte * size``."""

    implementation: str
    isa: str = ""
    fixed: float
    per_byte: float
    worst: float = 0.0
    """Largest relative deviation of a measured size."""
    points: tuple[tuple[int, float], ...] = ()
    """Bytes, and what they cost."""


class Crossing(_Liberal):
    """How ``subject`` stands to ``baseline``, both indices of lines."""

    subject: int
    baseline: int
    wins: Literal["from", "up to", "always", "never", "unclear"]
    first: int | None = None
    last: int | None = None
    """Smallest and largest size at which both were measured."""
    at_first: Literal["below", "above", "same"] = "same"
    at_last: Literal["below", "above", "same"] = "same"
    size: float | None = None
    low: float | None = None
    high: float | None = None
    """Interval of ``size``."""
    confidence: float | None = None


class Fits(_Liberal):
    """Fitted lines and where they cross."""

    title: Text
    caption: str | None = None
    metric: Literal["seconds", "instructions"] = "seconds"
    lines: tuple[FittedLine, ...] = ()
    crossings: tuple[Crossing, ...] = ()


class RateBound(_Liberal):
    """The rate that no code exceeded, or could, on the machine of the rows."""

    algorithm: str
    operation: str
    bytes_per_second: float
    words: Text = ""


class Headline(_Liberal):
    """The main table: ``metric`` by implementation (down) and ISA (across), at ``where``."""

    metric: str = "instructions_per_byte"
    where: dict[str, Any] = Field(default_factory=dict)
    """Columns fixed by value: algorithm, operation, size, compiler, opt, engine. The rest by default."""
    baseline: dict[str, str] = Field(default_factory=dict)
    """Per XLEN, the ISA that others are compared with: ``{"32": "rv32i"}``; default: the shortest name."""


class Line(_Liberal):
    """One disassembled instruction, or a label (``bytes`` empty)."""

    address: Text = ""
    bytes: Text = ""
    text: str = ""


class Listing(_Liberal):
    label: str
    lines: tuple[Line, ...] = ()
    note: str | None = None


class Disassembly(_Liberal):
    """Listings of one function, side by side."""

    title: str
    note: str | None = None
    columns: tuple[Listing, ...] = ()


class Control(_Liberal):
    """An experiment whose outcome is known beforehand."""

    name: Text = Field(validation_alias=AliasChoices("name", "title", "control"))
    expected: Text = ""
    outcome: Text = Field(default="", validation_alias=AliasChoices("outcome", "observed", "result", "measured"))
    passed: bool | None = Field(default=None, validation_alias=AliasChoices("passed", "ok", "holds"))
    detail: Text | None = Field(default=None, validation_alias=AliasChoices("detail", "note", "reason"))


class Skipped(_Liberal):
    """Combinations of the matrix that were not measured, and why."""

    what: Text = Field(validation_alias=AliasChoices("what", "point", "combination", "name"))
    reason: Text = ""
    count: int | None = None


class Study(_Liberal):
    """What was asked, and how its answer is shown."""

    name: str = Field(default="", validation_alias=AliasChoices("name", "study", "id"))
    title: str = ""
    question: str = ""
    answer: str | None = None
    """A sentence or two by the study's author, shown before the generated answer; never figures."""
    background: Lines = ()
    """Paragraphs on where the question comes from."""
    headline: Headline = Headline()
    tables: tuple[Table, ...] = ()
    fits: tuple[Fits, ...] = ()
    bounds: tuple[RateBound, ...] = ()
    machine: Lines = ()
    """The machine that times are of, and its load: sentences."""
    comparisons: Lines = ()
    """Which of two neighbours in speed is faster, or that the run cannot tell."""
    plots: tuple[Plot, ...] = ()
    disassembly: tuple[Disassembly, ...] = ()
    controls: tuple[Control, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: Lines = ()
    own_instructions: Lines = ()
    """Implementations with instructions that no ISA string names."""


class Manifest(BaseModel):
    """How the rows came to be. Unknown keys are kept, and shown."""

    model_config = ConfigDict(extra="allow", frozen=True)

    tool_version: Text | None = None
    tool_commit: Text | None = None
    generated: Text | None = Field(default=None, validation_alias=AliasChoices("generated", "created", "date"))

    def other(self) -> Mapping[str, Any]:
        """Everything else, in the file's order."""
        return self.model_extra or {}


@dataclass(frozen=True, slots=True)
class Results:
    """One study's results, read and typed."""

    study: Study
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    manifest: Manifest
    emulator_cost: tuple[tuple[str, ...], ...] = ()
    """``emulator_cost.csv`` with its header: what running an emulator cost the host."""


_ROW = TypeAdapter(Row)
_CLAIMS = TypeAdapter(tuple[Claim, ...])


def read(results_dir: Path) -> Results:
    """Read ``results/<study>/``.

    Raises :class:`InputError` when rows are missing or a file is malformed; claims, manifest and study may
    be absent (a plain ``measure`` has none).
    """
    rows = _rows(results_dir / "rows.jsonl")
    claims = _json(results_dir / "claims.json")
    if isinstance(claims, dict):
        claims = claims.get("claims", [])
    study = _model(Study, results_dir / "study.json")
    if not study.name:
        study = study.model_copy(update={"name": results_dir.resolve().name})
    return Results(
        study=study,
        rows=rows,
        claims=_checked(_CLAIMS, claims or [], results_dir / "claims.json"),
        manifest=_model(Manifest, results_dir / "manifest.json"),
        emulator_cost=_csv(results_dir / "emulator_cost.csv"),
    )


def _rows(path: Path) -> tuple[Row, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", "Run the study first: ciphermark run STUDY.") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(_ROW.validate_json(line))
        except ValidationError as error:
            raise InputError(f"{path}:{number}: {_first(error)}") from None
    return tuple(rows)


def _csv(path: Path) -> tuple[tuple[str, ...], ...]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return tuple(tuple(line) for line in csv.reader(file))
    except FileNotFoundError:
        return ()


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _model(model: type[M], path: Path) -> M:
    return _checked(TypeAdapter(model), _json(path) or {}, path)


def _checked(adapter: TypeAdapter[T], value: object, path: Path) -> T:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        raise InputError(f"{path}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
