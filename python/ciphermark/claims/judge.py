"""A claim against the rows: a verdict, and its reason made from the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from ciphermark import toolchain
from ciphermark.claims.claim import Citation, Claim, Evidence, Toolchain
from ciphermark.claims.finding import ClaimVerdict, Figure, Finding
from ciphermark.rows.metrics import METRICS, Source
from ciphermark.rows.model import Row


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


@dataclass(frozen=True, slots=True)
class Judgements:
    claims: tuple[Judgement, ...]


def judge(claim: Claim, evidence: Evidence | Sequence[Row]) -> Judgement:
    """Judge a claim by the rows that came out right; failed, unverified and flagged ones never count."""
    given = evidence if isinstance(evidence, Evidence) else Evidence(evidence)
    usable = [row for row in given.rows if row.verified and row.verdict == "ok"]
    finding = _found(claim, replace(given, rows=usable))
    return Judgement(
        id=claim.id,
        claim=claim.statement,
        citation=claim.citation,
        definition=" ".join(claim.definition.split()),
        published=claim.in_words(),
        ours=claim.ours,
        **{each.name: getattr(finding, each.name) for each in fields(finding)},
    )


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
    there = f"The claim is of a {claim.processor}, and this machine is another, {found[0]}."
    return replace(finding, verdict="not testable", reason=f"{there} {finding.reason}")


def _of_another_program(program: str, claim: Claim, evidence: Evidence) -> Finding:
    """Not testable; figures of rows of that family and level, or of compilers that are always there, are shown."""
    wanted = claim.compiled_with
    rows = [row for row in evidence.rows if (_like(wanted, row) if wanted else row.compiler not in evidence.optional)]
    beside = claim.judge(replace(evidence, rows=rows))
    metric = METRICS.get(getattr(claim, "metric", ""))
    other = "circuit" if metric is not None and metric.source is Source.GATES else "program"
    reason = f"A fact about {program}, which is not among the implementations here: another {other} does not test it."
    if beside.measured is None and claim.untested is not None:
        reason = f"{claim.untested} {reason}"
    if beside.measured is not None:
        built = f" with {_builds(rows, evidence)}" if wanted else ""
        reason += f" What is measured here{built}: {beside.measured}."
    return replace(beside, verdict="not testable", reason=reason)


def _compiled(wanted: Toolchain, claim: Claim, evidence: Evidence) -> Finding:
    """By rows of that family and level, of the same version if there are any. Another version can agree with the
    figure, but not contradict it."""
    rows = [row for row in evidence.rows if _like(wanted, row)]
    if not rows:
        reason = f"Published for {wanted}; nothing was built here with a {wanted.family} at that level."
        return Finding(None, "not testable", f"{reason} {toolchain.installs(wanted.family)}")
    same = [row for row in rows if _version(row, evidence).startswith(f"{wanted.version}.")]
    finding = claim.judge(replace(evidence, rows=same or rows))
    if finding.verdict == "not testable":
        return finding
    reason = f"{finding.reason} Published for {wanted}, measured with {_builds(same or rows, evidence)}."
    if finding.verdict == "contradicted" and not same:
        reason += " Another version's code is another program and does not contradict it."
        return replace(finding, verdict="not testable", reason=reason)
    return replace(finding, reason=reason)


def _whatever_is_installed(claim: Claim, evidence: Evidence) -> Finding:
    """By rows of the compilers that are always there; figures of others are shown."""
    certain = [row for row in evidence.rows if row.compiler not in evidence.optional]
    finding = claim.judge(replace(evidence, rows=certain))
    added = [row for row in evidence.rows if row.compiler in evidence.optional]
    beside = claim.judge(replace(evidence, rows=added)).measured if added else None
    if beside is None or beside == finding.measured:
        return finding
    return replace(finding, reason=f"{finding.reason} With {_builds(added, evidence)}, deciding nothing: {beside}.")


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
