"""A claim against the rows: a verdict, and its reason made from the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter

from ciphermark import engines, toolchain
from ciphermark.claims.claim import Citation, Claim, Evidence, Toolchain
from ciphermark.claims.finding import ClaimVerdict, Figure, Finding
from ciphermark.rows.metrics import KEY_COLUMNS, METRICS, Source
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped
from ciphermark.rtl.machines import Machine, machine


@dataclass(frozen=True, slots=True)
class Judgement:
    id: str
    claim: str
    citation: Citation
    definition: str
    published: tuple[str, ...]
    measured: str | None
    verdict: ClaimVerdict
    reason: str
    evidence: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    """All of them, each with the rows it is from; empty where the published figures alone decide."""
    ours: bool = False
    """Whether the claim is made here, of a kernel of ours against what is published, and not by the source."""
    kind: str = ""
    """The table of the study file that it is from: ``count``."""
    on_a_scale: tuple[tuple[int | None, float], ...] = ()
    """Published numbers in the unit of ``figures``, by message size where they are a table of sizes."""
    allowed: float = 0.0
    """How far from them a figure may be."""


@dataclass(frozen=True, slots=True)
class Judgements:
    claims: tuple[Judgement, ...]


def judge(claim: Claim, evidence: Evidence | Sequence[Row]) -> Judgement:
    """Judge a claim by the rows that came out right; failed, unverified and flagged ones never count."""
    given = evidence if isinstance(evidence, Evidence) else Evidence(evidence)
    rows = _measured_first([row for row in given.rows if row.verified and row.verdict == "ok"])
    usable = replace(given, rows=rows)
    finding = _found(claim, usable)
    if (modelled := _modelled(finding, rows)) is not None:
        finding = _of_a_model(claim, finding, usable, *modelled)
    return Judgement(
        id=claim.id,
        claim=claim.statement,
        citation=claim.citation,
        definition=" ".join(claim.definition.split()),
        published=claim.in_words(),
        ours=claim.ours,
        kind=type(claim).__module__.rpartition(".")[2],
        on_a_scale=claim.on_a_scale(),
        allowed=claim.allowed(),
        **{each.name: getattr(finding, each.name) for each in fields(finding)},
    )


_ANYWHERE = tuple(name for name in KEY_COLUMNS if name != "engine")


_PLACE = attrgetter("engine", "machine")


def _models(rows: Sequence[Row]) -> set[tuple[str, str | None]]:
    """Engines and machines of rows whose cycles are modelled."""
    return {place for place in set(map(_PLACE, rows)) if _is_model(*place)}


def _is_model(name: str, of: str | None) -> bool:
    if of is None or name not in engines.all_names():
        return False
    engine = engines.find(name)
    return not engine.machines and engine.offers(of)


def _measured_first(rows: Sequence[Row]) -> list[Row]:
    """Without modelled rows of what was also measured on the hardware itself."""
    models = _models(rows)
    of_machines = grouped((row for row in rows if row.machine is not None), *_ANYWHERE)
    measured = {key for key, alike in of_machines.items() if not all(_PLACE(row) in models for row in alike)}
    key = attrgetter(*_ANYWHERE)
    return [row for row in rows if key(row) not in measured or _PLACE(row) not in models]


def _modelled(finding: Finding, rows: Sequence[Row]) -> tuple[Machine, str] | None:
    """The machine and state of the least exact of modelled cycles that a finding rests on."""
    cycles = {name for name, metric in METRICS.items() if metric.source.is_modelled}
    of_cycles = [figure for figure in finding.figures if figure.metric in cycles]
    points = {figure.point for figure in of_cycles}
    points |= {figure.baseline_point or "" for figure in of_cycles}
    based = [row for row in rows if row.point in points]
    models = _models(based)
    found = {(row.machine or "", row.state or "") for row in based if _PLACE(row) in models}
    named = [(machine(name), state) for name, state in sorted(found)]
    return max(named, key=lambda each: _error(*each), default=None)


def _error(of: Machine, state: str) -> float:
    known = of.error(state)
    return float("inf") if known is None else known


def _of_a_model(claim: Claim, finding: Finding, evidence: Evidence, of: Machine, state: str) -> Finding:
    """A model decides only what stays the same if its cycles are wrong by as much as they are on average."""
    error = of.error(state)
    known = " and ".join(dict.fromkeys(each.of for each in of.evidence)) or "RTL"
    how = (
        "not validated"
        if error is None
        else f"equal to {known}"
        if not error
        else f"{100 * error:.2g} % off {known} on average"
    )
    remark = f"Cycles are modelled; {state} {'calls' if known == 'RTL' else 'runs'} on {of.name} are {how}."
    wrong = (-error, error) if error else ()
    if error is not None and all(_found(claim, _scaled(evidence, 1 + by)).verdict == finding.verdict for by in wrong):
        return replace(finding, reason=f"{finding.reason} {remark}")
    reason = (
        f"{remark} The error could change the verdict; to decide it by RTL, run the study with --rtl. {finding.reason}"
    )
    return replace(finding, verdict="not testable", reason=reason)


def _scaled(evidence: Evidence, factor: float) -> Evidence:
    """The evidence with modelled cycles multiplied by ``factor``."""
    models = _models(evidence.rows)

    def scaled(row: Row) -> Row:
        if row.cycles is None or _PLACE(row) not in models:
            return row
        per_byte = row.cycles_per_byte and row.cycles_per_byte * factor
        ticks = row.ticks and round(row.ticks * factor)
        return replace(row, cycles=round(row.cycles * factor), cycles_per_byte=per_byte, ticks=ticks)

    return replace(evidence, rows=[scaled(row) for row in evidence.rows])


def _found(claim: Claim, evidence: Evidence) -> Finding:
    if claim.program is not None:
        finding = _of_another_program(claim.program, claim, evidence)
    elif claim.compiled_with is not None:
        finding = _compiled(claim.compiled_with, claim, evidence)
    else:
        finding = _whatever_is_installed(claim, evidence)
    finding = _of_another_processor(claim, finding, evidence)
    broken = claim.against_itself()
    if broken is not None and finding.verdict != "contradicted":
        finding = replace(finding, verdict="contradicted", reason=broken)
    remark = claim.remark(evidence)
    return replace(finding, reason=f"{finding.reason} {remark}") if remark else finding


def _of_another_processor(claim: Claim, finding: Finding, evidence: Evidence) -> Finding:
    """Not testable if the claim is about a processor that none of the finding's rows has."""
    points = {figure.point for figure in finding.figures}
    found = [row.processor or "" for row in evidence.rows if row.point in points]
    if claim.processor is None or not found or any(claim.processor in each for each in found):
        return finding
    there = f"The claim is about a {claim.processor}; this machine is a different one, {found[0]}."
    return replace(finding, verdict="not testable", reason=f"{there} {finding.reason}")


def _of_another_program(program: str, claim: Claim, evidence: Evidence) -> Finding:
    """Not testable; figures of rows of that family and level, or of compilers that are always there, are shown."""
    wanted = claim.compiled_with
    rows = [row for row in evidence.rows if (_like(wanted, row) if wanted else row.compiler not in evidence.optional)]
    beside = claim.judge(replace(evidence, rows=rows))
    metric = METRICS.get(getattr(claim, "metric", ""))
    other = "circuit" if metric is not None and metric.source is Source.GATES else "program"
    reason = (
        f"The claim is about {program}, which is not among the implementations here; another {other} cannot test it."
    )
    if beside.measured is None and claim.untested is not None:
        reason = f"{claim.untested} {reason}"
    if beside.measured is not None:
        built = f" with {_builds(rows, evidence)}" if wanted else ""
        reason += f" Measured here{built}: {beside.measured}."
    return replace(beside, verdict="not testable", reason=reason)


def _compiled(wanted: Toolchain, claim: Claim, evidence: Evidence) -> Finding:
    """Judge by rows of that family and level, of the same version if there are any. Another version can agree with the
    figure, but not contradict it."""
    rows = [row for row in evidence.rows if _like(wanted, row)]
    if not rows:
        reason = f"Published for {wanted}; nothing was built here with {wanted.family} at that level."
        return Finding(None, "not testable", f"{reason} {toolchain.installs(wanted.family)}")
    same = [row for row in rows if _version(row, evidence).startswith(f"{wanted.version}.")]
    finding = claim.judge(replace(evidence, rows=same or rows))
    if finding.verdict == "not testable":
        return finding
    reason = f"{finding.reason} Published for {wanted}, measured with {_builds(same or rows, evidence)}."
    if finding.verdict == "contradicted" and not same:
        reason += " Code from another version of the compiler is a different program and cannot contradict it."
        return replace(finding, verdict="not testable", reason=reason)
    return replace(finding, reason=reason)


def _whatever_is_installed(claim: Claim, evidence: Evidence) -> Finding:
    """Judge by rows of the compilers that are always there; figures of others are shown."""
    certain = [row for row in evidence.rows if row.compiler not in evidence.optional]
    finding = claim.judge(replace(evidence, rows=certain))
    added = [row for row in evidence.rows if row.compiler in evidence.optional]
    beside = claim.judge(replace(evidence, rows=added)).measured if added else None
    if beside is None or beside == finding.measured:
        return finding
    return replace(finding, reason=f"{finding.reason} With {_builds(added, evidence)}, for comparison only: {beside}.")


def _like(wanted: Toolchain, row: Row) -> bool:
    return row.opt == wanted.opt and toolchain.family(row.compiler) == wanted.family


def _builds(rows: Sequence[Row], evidence: Evidence) -> str:
    levels: dict[str, dict[str, None]] = {}
    for row in rows:
        name = " ".join(filter(None, (row.compiler, evidence.versions.get(row.compiler))))
        levels.setdefault(name, {})[f"-{row.opt}"] = None
    return " and ".join(f"{name} {', '.join(found)}" for name, found in levels.items())


def _version(row: Row, evidence: Evidence) -> str:
    return f"{evidence.versions.get(row.compiler, '')}."
