"""What ``ciphermark run`` says of finished studies: one in full, several in a few lines."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.style import Style
from rich.text import Text

from ciphermark import engines
from ciphermark.claims.judge import Judgement
from ciphermark.cli import messages, output
from ciphermark.execution.results import ControlResult, Results
from ciphermark.notation.numbers import counted

_COLOURS = {"confirmed": "green", "contradicted": "red", "not testable": "yellow"}


def print_verdicts(done: Results, report: Path) -> None:
    """Verdicts, controls and where the files are; the rows themselves are many."""
    console = output.console()
    console.print(f"[bold]{done.study}[/bold]: {counts(done)}")
    for control in done.controls:
        _print_control(console, control)
    for table in done.tables:
        output.print_pivot(table)
    for claim in done.claims:
        verdict = f"[{_COLOURS[claim.verdict]}]{claim.verdict}[/{_COLOURS[claim.verdict]}]"
        console.print(f"  {verdict}: {escape(told_apart(claim, done.claims))}", soft_wrap=True)
        console.print(f"      {escape(claim.reason)}", soft_wrap=True)
    print_path("report", report)


def print_path(what: str, path: Path) -> None:
    """A file's path, which terminals that can make a link of (OSC 8)."""
    output.console().print(Text(f"  {what}: ").append(linked(path)), soft_wrap=True)


def linked(path: Path) -> Text:
    return Text(str(path), style=Style(link=path.resolve().as_uri()))


def told_apart(claim: Judgement, claims: Sequence[Judgement]) -> str:
    """Its sentence; where another claim says the same, its source besides, of one work the place alone."""
    works = [other.citation.work for other in claims if other.claim == claim.claim]
    if len(works) == 1:
        return claim.claim
    return f"{claim.claim} ({claim.citation.place if len(set(works)) == 1 else claim.citation})"


def counts(done: Results) -> str:
    extrapolated = sum(row.extrapolated for row in done.rows)
    parts = [f"{counted(len(done.rows), 'row')} ({extrapolated} extrapolated)"]
    parts += [
        f"{sum(row.verdict == verdict for row in done.rows)} {verdict}"
        for verdict in ("flagged", "failed", "unsupported", "error")
        if any(row.verdict == verdict for row in done.rows)
    ]
    return ", ".join([*parts, f"{done.manifest['points_measured_now']} measured now", f"{done.manifest['seconds']} s"])


def print_counts(done: Results) -> None:
    """A finished study in a line, and what is wrong with it."""
    console = output.console()
    console.print(f"{done.study}: {counts(done)}", soft_wrap=True)
    for control in done.controls:
        if not control.passed:
            _print_control(console, control)


def print_all(finished: Sequence[tuple[Results, Path]]) -> None:
    """What several studies came to: for each a line of verdicts and its report's path."""
    console = output.console()
    console.print(
        f"\n[bold]{len(finished)} studies[/bold], {sum(len(done.rows) for done, _ in finished):,} rows", soft_wrap=True
    )
    for done, report in finished:
        console.print(f"  [bold]{escape(done.study)}[/bold]: {_verdicts(done)}", soft_wrap=True)
        console.print(Text("    ").append(linked(report)), soft_wrap=True)
    console.print("For the reasons of one study's verdicts, see its report or: ciphermark run STUDY", soft_wrap=True)


def _verdicts(done: Results) -> str:
    found: Counter[str] = Counter(claim.verdict for claim in done.claims)
    said = [f"[{colour}]{found[word]} {word}[/{colour}]" for word, colour in _COLOURS.items() if found[word]]
    without = sum(not row.verified for row in done.rows)
    if without:
        said.append(f"{without} of {len(done.rows)} rows without figures")
    if done.controls:
        wrong = sum(not control.passed for control in done.controls)
        said.append(f"[red]{wrong} of {len(done.controls)} controls FAIL[/red]" if wrong else "controls hold")
    return ", ".join(said or ["no claims"])


def _print_control(console: Console, control: ControlResult) -> None:
    mark = "[green]holds[/green]" if control.passed else "[red]FAILS[/red]"
    console.print(f"  control {escape(control.name)}: {mark}: {escape(control.outcome)}", soft_wrap=True)


def remark(done: Results, *, briefly: bool) -> None:
    """On stderr: mistakes always; what was left out and what disturbed only if not ``briefly``, the report has it."""
    if not briefly:
        _print_notes(done)
    for mismatch in done.mismatches[:5]:
        messages.error(f"engines disagree: {mismatch}")
    bad = [row for row in done.rows if row.verdict in ("failed", "error", "unsupported")]
    for row in {(row.implementation, row.isa, row.note): row for row in bad}.values():
        # What this machine lacks is not a mistake; what a simulator cannot do was asked for by the study.
        said = f"{row.implementation} {row.isa} {row.compiler} -{row.opt} ({row.engine}): {row.note}"
        if row.verdict != "unsupported" or not engines.is_native(row.engine):
            messages.error(said)
        elif not briefly:
            messages.note(said)


def _print_notes(done: Results) -> None:
    skipped = done.manifest["skipped"]
    if skipped:
        total = sum(item["count"] for item in skipped)
        messages.note(
            f"{done.study}: {counted(total, 'combination')} skipped; {done.directory / 'manifest.json'} says which and "
            "why"
        )
    for said in done.manifest["remarks"]:
        messages.note(said)
    if done.manifest["parquet"] != "written":
        messages.note(f"rows.parquet: {done.manifest['parquet']} (pip install polars)")
